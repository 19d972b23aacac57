/** Compresses what browsers load, as it is served. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** One write of the server sends at most this much at once. */
const MAX_FILE_BYTES = 65_536;

/** The best that brotli can do. */
export const compress = (bytes: Uint8Array): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });

/**
 * Writes a file with its compressed forms beside it.
 * @returns the size of the brotli form
 * @throws Error when the file is too large to be sent at once
 */
export function writePacked(directory: string, name: string, bytes: Uint8Array): number {
  if (bytes.length > MAX_FILE_BYTES) throw new Error(`${name} has ${bytes.length} bytes, more than ${MAX_FILE_BYTES}`);
  const packed = compress(bytes);
  writeFileSync(join(directory, name), bytes);
  writeFileSync(join(directory, `${name}.br`), packed);
  writeFileSync(join(directory, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  return packed.length;
}
