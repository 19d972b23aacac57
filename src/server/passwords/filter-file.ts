/** Reads the filter of leaked passwords. The file is not loaded: a look-up reads one page, in libuv's threads. */

import { read } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { LeakedList } from './contract.js';
import {
  BLOCK_BYTES,
  blockOffsetOf,
  FilterFileError,
  type FilterHeader,
  hasBits,
  parseHeader,
} from './filter-format.js';

export interface FilterFile extends LeakedList {
  readonly header: FilterHeader;
  close(): Promise<void>;
}

/**
 * Opens a filter and checks that it is whole.
 * @throws FilterFileError for a file that is missing, unreadable, foreign, damaged or truncated
 */
export async function openFilterFile(path: string): Promise<FilterFile> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new FilterFileError(`cannot be read (${error.code})`, { cause: error });
  });
  try {
    const header = await readHeader(file);
    return { header, has: (digest) => look(file.fd, digest, header), close: () => file.close() };
  } catch (error) {
    await file.close();
    if (error instanceof FilterFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new FilterFileError(`cannot be read (${code})`, { cause: error });
  }
}

async function readHeader(file: FileHandle): Promise<FilterHeader> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, 0);
  const header = parseHeader(buffer.subarray(0, bytesRead));
  const expected = BLOCK_BYTES * (1 + header.blocks);
  if (size === expected) return header;
  const problem = size < expected ? 'is truncated' : 'is longer than it was built';
  throw new FilterFileError(`${problem}: it has ${size} bytes, not ${expected}. Build or copy it again`);
}

function look(descriptor: number, digest: Buffer, header: FilterHeader): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    read(descriptor, block, 0, BLOCK_BYTES, blockOffsetOf(digest, header), (error, bytesRead) => {
      if (error !== null) reject(error);
      else if (bytesRead < BLOCK_BYTES) reject(new FilterFileError('was truncated while it was in use'));
      else resolve(hasBits(block, digest, header.probes));
    });
  });
}
