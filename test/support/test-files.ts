/** Which test files there are, and how each may run: for the programs that run them (run.ts, stress.ts). */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TREE_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** `test/unit/x.test.ts` → the compiled file; a directory → all tests in it; nothing → all tests. Each file once. */
export function findTestFiles(names: readonly string[]): string[] {
  const paths = (names.length > 0 ? names : ['dist/test']).map(compiledOf);
  const found = paths.flatMap((path) => {
    if (path.endsWith('.js')) return [path];
    const entries = readdirSync(join(TREE_ROOT, path), { recursive: true, encoding: 'utf8' });
    return entries
      .filter((entry) => entry.endsWith('.test.js'))
      .map((entry) => join(path, entry))
      .filter(hasSource);
  });
  return [...new Set(found)];
}

/**
 * Spreads the files of each folder over the whole: some folders mostly wait (browsers), others mostly compute (hashes), and each
 * half would leave the processors idle or late when it ran alone. So do names within a folder: those of the console wait more.
 *
 * @param files compiled test files
 * @returns the same files, in an order that does not change between runs
 */
export function spreadFolders(files: readonly string[]): string[] {
  const folders = new Map<string, string[]>();
  for (const file of files) folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file]);
  const placed = [...folders.values()].flatMap((ofFolder) =>
    ofFolder
      .map((file) => ({ file, hash: createHash('sha256').update(file).digest('hex') }))
      .sort((a, b) => (a.hash < b.hash ? -1 : 1))
      .map(({ file }, index) => ({ file, place: (index + 0.5) / ofFolder.length })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ file }) => file);
}

/** @returns the same files, first those whose full form takes minutes: begun last, one would end long after all others */
export function longFirst(files: readonly string[]): string[] {
  const long = new Set(files.filter(takesMinutes));
  return [...long, ...files.filter((file) => !long.has(file))];
}

function compiledOf(name: string): string {
  const path = relative(TREE_ROOT, resolve(name)).replace(/\.ts$/, '.js');
  return path.startsWith('dist/') ? path : join('dist', path);
}

/** Exits where a file or directory does not exist: after the others had run it would be late. @param names as above */
export function refuseUnknownFiles(names: readonly string[]): void {
  const unknown = names.filter((name) => !existsSync(join(TREE_ROOT, compiledOf(name))));
  for (const name of unknown) process.stderr.write(`There is no test file or directory ${name}.\n`);
  if (unknown.length > 0) process.exit(1);
}

/** `dist/test/unit/x.test.js` → its source */
export const sourceOf = (path: string): string => path.replace(/^dist\//, '').replace(/\.js$/, '.ts');

/** The build leaves what it compiled of files that are gone. */
const hasSource = (path: string): boolean => existsSync(join(TREE_ROOT, sourceOf(path)));

const says = (path: string, what: RegExp): boolean => what.test(readFileSync(join(TREE_ROOT, path), 'utf8'));

/** `many`: beside any others; `waiting`, then `one`: after those, since they measure time. */
export const PHASES = ['many', 'waiting', 'one'] as const;

/** Without a cluster its files say so, and measure nothing. */
const isWithoutCitus = (path: string): boolean =>
  path.startsWith('dist/test/citus/') && process.env['TEST_CITUS_URL'] === undefined;

/** Files that measure time run after all others: first together those that mostly wait, then one at a time. */
export function phaseOf(path: string): (typeof PHASES)[number] {
  if (!path.endsWith('.alone.test.js') || isWithoutCitus(path)) return 'many';
  return says(path, /^mostlyWaits\(/m) ? 'waiting' : 'one';
}

/** Files of these folders mostly wait, for browsers and time-outs. */
export const waitsMuch = (path: string): boolean => /^dist\/test\/(?:e2e|reliability)\//.test(path);

/** A test file that changes its process, or that may end it, says so. */
export const hasOwnProcess = (path: string): boolean => says(path, /^ownProcess\(/m);

/** A test file whose full form takes minutes on a clock says so. */
const takesMinutes = (path: string): boolean => says(path, /^takesMinutesInFull\(/m);
