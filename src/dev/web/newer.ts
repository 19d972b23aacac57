import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param made file that was written last
 * @param sources files and folders; a folder counts with all that is in it, and changes when an entry is added or removed
 * @returns whether it exists and nothing in the sources was changed after it
 */
export function isNewerThanAll(made: string, sources: readonly string[]): boolean {
  const madeMs = changedMs(made);
  return sources.every((source) => listAll(source).every((path) => changedMs(path) < madeMs));
}

/** In milliseconds; 0: it is not there. */
const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function listAll(source: string): string[] {
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) return [source];
  return [source, ...readdirSync(source, { recursive: true, encoding: 'utf8' }).map((entry) => join(source, entry))];
}
