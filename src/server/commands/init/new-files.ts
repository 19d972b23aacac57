/** Files of a command that are there as a whole or not at all. */
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface NewFile {
  readonly path: string;
  readonly mode: number;
  readonly text: string;
}

/** @throws Error that names what exists */
export function refuseExisting(paths: readonly string[]): void {
  const [first, ...more] = paths.filter((path) => existsSync(path));
  if (first === undefined) return;
  const [those, them] = more.length === 0 ? ['exists', 'it'] : ['exist', 'them'];
  throw new Error(
    `${[first, ...more].join(', ')} ${those}: name another folder with --dir, or replace ${them} with --force`,
  );
}

/**
 * Writes all files, or none.
 * @param mayReplace what exists
 * @returns their paths
 * @throws Error when one exists, or cannot be written
 */
export function writeWhole(files: readonly NewFile[], mayReplace: boolean): string[] {
  const unfinished: string[] = [];
  const placed: string[] = [];
  try {
    for (const { path, mode, text } of files) {
      mkdirSync(dirname(path), { recursive: true });
      const beside = `${path}.${process.pid}`;
      writeFileSync(beside, text, { mode, flag: 'wx' });
      unfinished.push(beside);
    }
    for (const [index, { path }] of files.entries()) {
      if (mayReplace) renameSync(unfinished[index]!, path);
      else linkNew(unfinished[index]!, path);
      placed.push(path);
    }
  } catch (error) {
    if (!mayReplace) for (const path of placed) rmSync(path, { force: true });
    throw error;
  } finally {
    for (const path of unfinished) rmSync(path, { force: true });
  }
  return placed;
}

/** Unlike a rename, it never replaces a file that was made meanwhile. */
function linkNew(from: string, path: string): void {
  try {
    linkSync(from, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    refuseExisting([path]);
    throw error;
  }
}
