import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** Refused rows, unchanged, one per line, to be corrected and imported. */
export interface RefusedFile {
  add(text: string): void;
  bytes(): number;
  close(): void;
}

/** Opens the file with its first row. @param keepBytes of an earlier run. @param head line before the first row; empty: none */
export function openRefusedFile(file: string, keepBytes: number, head = ''): RefusedFile {
  let descriptor: number | null = null;
  let bytes = keepBytes;
  const open = (): number => {
    if (descriptor === null) {
      // Rows that an interrupted run wrote after its last bookmark are written again.
      descriptor = openSync(file, keepBytes === 0 ? 'w' : 'r+', 0o600);
      ftruncateSync(descriptor, keepBytes);
    }
    return descriptor;
  };
  return {
    add(text) {
      const data = Buffer.from(bytes === 0 && head !== '' ? `${head}\n${text}\n` : `${text}\n`);
      writeSync(open(), data, 0, data.length, bytes);
      bytes += data.length;
    },
    bytes: () => bytes,
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}
