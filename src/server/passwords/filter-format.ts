/**
 * The file of AUTH_PASSWORD_HIBP_FILE: a Bloom filter in blocks of one page, so that a look-up is one read. The block and
 * the bits come from the SHA-1 itself. Blocks are in the order of the hashes, so that a sorted download is written from
 * front to back.
 */
import { createHash } from 'node:crypto';

export const BLOCK_BYTES = 4096;
const BLOCK_BITS = BLOCK_BYTES * 8;
/** Leaves the upper 15 bits: a position in a block. */
const BIT_SHIFT = 17;
const MAGIC = 'latchkey-passwords-1';

export interface FilterHeader {
  readonly blocks: number;
  /** Bits per password. */
  readonly probes: number;
  readonly entries: number;
  /** Share of other passwords that count as leaked. */
  readonly rate: number;
  /** RFC 3339. */
  readonly builtAt: string;
}

export class FilterFileError extends Error {
  /** @param problem completes a sentence that begins with the file */
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'FilterFileError';
  }
}

/** Blocks are not equally full; this makes up for it. */
const RESERVE = 1.01;

/** @param rate between 0 and 1 */
export function sizeFilter(entries: number, rate: number): Pick<FilterHeader, 'blocks' | 'probes'> {
  const probes = Math.max(1, Math.round(-Math.log2(rate)));
  const bits = (entries * RESERVE * -Math.log2(rate)) / Math.LN2;
  return { probes, blocks: Math.max(1, Math.ceil(bits / BLOCK_BITS)) };
}

/** @returns the first block of the file */
export function renderHeader(header: FilterHeader): Buffer {
  const text = JSON.stringify(header);
  return Buffer.concat([Buffer.from(`${MAGIC}\n${text}\n${checksum(text)}\n`)], BLOCK_BYTES);
}

/** @throws FilterFileError */
export function parseHeader(block: Buffer): FilterHeader {
  const [magic, text = '', sum] = block.toString('latin1').split('\n', 3);
  if (magic !== MAGIC) throw new FilterFileError('is not a filter that `latchkey passwords build-filter` made');
  if (sum !== checksum(text)) throw new FilterFileError('has a damaged header: build or copy it again');
  return JSON.parse(text) as FilterHeader;
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');

/** @returns the position in the file of the block that a SHA-1 belongs to */
export function blockOffsetOf(digest: Buffer, { blocks }: Pick<FilterHeader, 'blocks'>): number {
  return BLOCK_BYTES * (1 + Math.floor((digest.readUIntBE(0, 6) / 2 ** 48) * blocks));
}

/** Sets the bits of a digest in its block, by enhanced double hashing with 96 bits of it (Dillinger and Manolios, 2004). */
export function setBits(block: Buffer, digest: Buffer, probes: number): void {
  let [position, step, change] = [digest.readInt32BE(6), digest.readInt32BE(10), digest.readInt32BE(14)];
  for (let probe = 0; probe < probes; probe++) {
    const bit = position >>> BIT_SHIFT;
    block[bit >>> 3] = block[bit >>> 3]! | (1 << (bit & 7));
    position = (position + step) | 0;
    step = (step + change) | 0;
    change = (change + 1) | 0;
  }
}

/** Whether all bits that {@link setBits} sets are set. */
export function hasBits(block: Buffer, digest: Buffer, probes: number): boolean {
  let [position, step, change] = [digest.readInt32BE(6), digest.readInt32BE(10), digest.readInt32BE(14)];
  for (let probe = 0; probe < probes; probe++) {
    const bit = position >>> BIT_SHIFT;
    if ((block[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
    position = (position + step) | 0;
    step = (step + change) | 0;
    change = (change + 1) | 0;
  }
  return true;
}
