/** Writes a filter in two passes over the download: one counts, one sets bits. Memory stays at a few megabytes. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  BLOCK_BYTES,
  blockOffsetOf,
  type FilterHeader,
  renderHeader,
  setBits,
  sizeFilter,
} from '../../passwords/filter-format.js';
import { type HashSource, SourceError } from './hash-lines.js';

export interface FilterPlan {
  readonly source: HashSource;
  readonly to: string;
  readonly rate: number;
  /** Only this many of the most frequent; null: all. */
  readonly top: number | null;
  /** @param share from 0 to 1 */
  readonly onProgress: (stage: 'counting' | 'writing', share: number) => void;
}

/**
 * Builds under another name, and renames when all is on the disk.
 * @throws SourceError, or the error of the file system
 */
export async function writeFilter({ source, to, rate, top, onProgress }: FilterPlan): Promise<FilterHeader> {
  const { entries, threshold, ofThreshold } = await selectEntries(source, top, (share) =>
    onProgress('counting', share),
  );
  const header = { ...sizeFilter(entries, rate), entries, rate, builtAt: new Date().toISOString() };
  removeAbandoned(to);
  // Not the process id: in a container it is the same each time.
  const partial = `${to}.${randomBytes(4).toString('hex')}.partial`;
  const file = openSync(partial, 'wx+', 0o644);
  try {
    ftruncateSync(file, BLOCK_BYTES * (1 + header.blocks));
    const blocks = openBlocks(file);
    let remaining = ofThreshold;
    await source.read(
      (digest, count) => {
        if (count < threshold || (count === threshold && remaining-- <= 0)) return;
        setBits(blocks.at(blockOffsetOf(digest, header)), digest, header.probes);
      },
      (bytes) => onProgress('writing', bytes / source.bytes),
    );
    blocks.flush();
    writeSync(file, renderHeader(header), 0, BLOCK_BYTES, 0);
    fsyncSync(file);
    renameSync(partial, to);
    syncFolder(dirname(to));
    return header;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** @returns how many there are, the smallest count that is taken, and how many with that count */
async function selectEntries(source: HashSource, top: number | null, onShare: (share: number) => void) {
  const byCount = new Map<number, number>();
  let total = 0;
  await source.read(
    (_digest, count) => {
      total += 1;
      if (top !== null) byCount.set(count, (byCount.get(count) ?? 0) + 1);
    },
    (bytes) => onShare(bytes / source.bytes),
  );
  if (total === 0) throw new SourceError('The download has no hashes');
  if (top === null || top >= total) return { entries: total, threshold: 1, ofThreshold: total };
  let taken = 0;
  for (const [count, many] of [...byCount].sort(([a], [b]) => b - a)) {
    if (taken + many >= top) return { entries: top, threshold: count, ofThreshold: top - taken };
    taken += many;
  }
  return { entries: total, threshold: 1, ofThreshold: total };
}

/** One block in memory: a sorted download visits each once, any other order works as well. */
function openBlocks(file: number) {
  const block = Buffer.alloc(BLOCK_BYTES);
  let current = -1;
  const flush = (): void => {
    if (current >= 0) writeSync(file, block, 0, BLOCK_BYTES, current);
  };
  return {
    flush,
    at(offset: number): Buffer {
      if (offset === current) return block;
      flush();
      readSync(file, block, 0, BLOCK_BYTES, offset);
      current = offset;
      return block;
    },
  };
}

const ABANDONED_MS = 3_600_000;

/** Removes what killed runs have left: gigabytes. A run that writes changes its file all the time. */
function removeAbandoned(to: string): void {
  const isPartial = (name: string) => name.startsWith(`${basename(to)}.`) && /\.[0-9a-f]{8}\.partial$/.test(name);
  for (const name of readdirSync(dirname(to)).filter(isPartial)) {
    const path = join(dirname(to), name);
    const file = statSync(path, { throwIfNoEntry: false });
    if (file !== undefined && Date.now() - file.mtimeMs > ABANDONED_MS) rmSync(path, { force: true });
  }
}

/** Makes the new name durable. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
