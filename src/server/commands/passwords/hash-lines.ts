/** Reads downloads of leaked passwords: `HASH:COUNT` lines, or a folder of range files with `SUFFIX:COUNT` lines. */
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** @param digest a SHA-1; the buffer is used again for the next line */
type Visit = (digest: Buffer, count: number) => void;

export interface HashSource {
  readonly bytes: number;
  /**
   * Reads everything.
   * @param onRead called with the bytes read so far
   * @throws SourceError
   */
  read(visit: Visit, onRead: (bytes: number) => void): Promise<void>;
}

export class SourceError extends Error {}

interface Part {
  readonly path: string;
  /** Digits that the file's name stands for. */
  readonly prefix: string;
  readonly bytes: number;
}

const SHA1_DIGITS = 40;
/** Value of a hexadecimal digit by character code; 255 for any other. */
const digitValues = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** @param path a file, or a folder with files `00000.txt` to `FFFFF.txt`. @throws SourceError */
export function openHashSource(path: string): HashSource {
  const parts = listParts(path);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes === 0) throw new SourceError(`${path} has no hashes`);
  return {
    bytes,
    async read(visit, onRead) {
      let done = 0;
      for (const part of parts) {
        await readPart(part, visit, (partBytes) => onRead(done + partBytes));
        done += part.bytes;
      }
    },
  };
}

function listParts(path: string): Part[] {
  try {
    if (!statSync(path).isDirectory()) return [{ path, prefix: '', bytes: statSync(path).size }];
    return readdirSync(path)
      .filter((name) => /^[0-9a-f]{5}(\.txt)?$/i.test(name))
      .sort()
      .map((name) => ({
        path: join(path, name),
        prefix: basename(name, '.txt'),
        bytes: statSync(join(path, name)).size,
      }));
  } catch (error) {
    throw new SourceError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

async function readPart({ path, prefix }: Part, visit: Visit, onRead: (bytes: number) => void): Promise<void> {
  const readLine = lineReader(prefix, visit);
  let rest: Buffer = Buffer.alloc(0);
  let [bytes, line] = [0, 0];
  const take = (data: Buffer, start: number, end: number): void => {
    line += 1;
    const trimmed = data[end - 1] === 0x0d ? end - 1 : end;
    if (trimmed > start && !readLine(data, start, trimmed)) throw new SourceError(describe(path, line, prefix));
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    bytes += chunk.length;
    const data = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      take(data, start, end);
      start = end + 1;
    }
    rest = data.subarray(start);
    if (rest.length > 1000) throw new SourceError(describe(path, line + 1, prefix));
    onRead(bytes);
  }
  if (rest.length > 0) take(rest, 0, rest.length);
}

const describe = (path: string, line: number, prefix: string): string =>
  `${path}, line ${line}: not ${prefix === '' ? 'a SHA-1 in 40' : 'a suffix in 35'} hexadecimal digits, a colon and a number. ` +
  'NTLM downloads and compressed files cannot be used';

/** @returns a function that says whether the line was understood */
function lineReader(prefix: string, visit: Visit): (data: Buffer, start: number, end: number) => boolean {
  const digest = Buffer.alloc(SHA1_DIGITS / 2);
  const nibbles = new Uint8Array(SHA1_DIGITS);
  for (let i = 0; i < prefix.length; i++) nibbles[i] = digitValues[prefix.charCodeAt(i)]!;
  const own = SHA1_DIGITS - prefix.length;
  return (data, start, end) => {
    if (end - start < own) return false;
    for (let i = 0; i < own; i++) {
      const value = digitValues[data[start + i]!]!;
      if (value === 255) return false;
      nibbles[prefix.length + i] = value;
    }
    let count = 1;
    if (end - start > own) {
      if (data[start + own] !== 0x3a || end - start === own + 1) return false;
      count = 0;
      for (let at = start + own + 1; at < end; at++) {
        const digit = data[at]! - 48;
        if (digit < 0 || digit > 9) return false;
        count = count * 10 + digit;
      }
    }
    for (let i = 0; i < digest.length; i++) digest[i] = (nibbles[2 * i]! << 4) | nibbles[2 * i + 1]!;
    // A count of 0 is padding of the range API.
    if (count > 0) visit(digest, count);
    return true;
  };
}
