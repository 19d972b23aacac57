import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads the files under directories of the repository, in the order of their paths. What is missing counts as empty.
 * @param ending of the file names wanted, e.g. `.ts`
 */
export function readTree(directories: readonly string[], ending = ''): SourceFile[] {
  const paths = directories.flatMap((directory) => listFiles(directory)).filter((path) => path.endsWith(ending));
  return paths.sort().map(readSource);
}

/** @param path from the root of the repository */
export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(repository + path, 'utf8') };
}

function listFiles(directory: string): string[] {
  let entries: ReturnType<typeof readEntries>;
  try {
    entries = readEntries(directory);
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

function readEntries(directory: string) {
  return readdirSync(repository + directory, { withFileTypes: true });
}
