/** Which files of a configuration folder are read. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Notice } from './faults.js';

/** More files than this are a mistake, such as -d /. */
const MAX_FILES = 1000;

/**
 * The *.env and *.json files in the order of their names, by code unit; of `x.env` and `x.json` only the latter. Links
 * to files count, as Kubernetes makes them; subfolders do not.
 * @param notices receives one when the folder cannot be read or has too many files; it is then empty, or cut
 */
export function listConfigFiles(directory: string, notices: Notice[] = []): string[] {
  const note = (problem: string) =>
    notices.push({ variable: directory, message: `The configuration folder ${directory} ${problem}.` });
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => /\.(env|json)$/.test(name) && isFile(join(directory, name)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    note(
      code === 'ENOENT'
        ? 'does not exist: nothing is read from it'
        : `cannot be read (${code}): nothing is read from it`,
    );
    return [];
  }
  if (names.length > MAX_FILES) note(`has ${names.length} files, of which the first ${MAX_FILES} are read`);
  const all = new Set(names);
  return names
    .filter((name) => !(name.endsWith('.env') && all.has(name.replace(/env$/, 'json'))))
    .sort((a, b) => (a < b ? -1 : 1))
    .slice(0, MAX_FILES)
    .map((name) => join(directory, name));
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
