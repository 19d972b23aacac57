import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads the files below directories of the repository, sorted by path.
 * @param ending of the file names wanted, e.g. `.ts`
 */
export function readTree(directories: readonly string[], ending = ''): SourceFile[] {
  const paths = directories.flatMap((directory) =>
    readdirSync(join(repository, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map((entry) => join(entry.parentPath, entry.name).slice(repository.length).replaceAll('\\', '/')),
  );
  return paths.sort().map(readSource);
}

/** @param path from the root of the repository */
export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(repository + path, 'utf8') };
}
