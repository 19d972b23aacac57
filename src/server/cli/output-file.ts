import { closeSync, openSync, writeSync } from 'node:fs';
import type { CommandIo } from './types.js';

/**
 * A new file of the command, readable by its owner only.
 * @param file -: standard output
 * @throws Error when the file exists or cannot be written
 */
export function openOutput(file: string, io: CommandIo): { write(text: string): void; close(): void } {
  if (file === '-') return { write: (text) => io.out(text), close: () => undefined };
  const descriptor = openNew(file);
  return {
    write(text) {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    },
    close: () => closeSync(descriptor),
  };
}

function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${file} exists: remove it, or name another file`, { cause: error });
  }
}
