import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

export interface Counts {
  imported: number;
  skipped: number;
  refused: number;
}

/** How far an import has come: all before the place has been decided, and what was refused is in the file of refusals. */
export interface Bookmark {
  /** What is being read, so that a bookmark of another source is not taken for this one's. */
  readonly source: string;
  /** Of a file: the byte after the last line; of a database: the last id. */
  readonly place: string;
  readonly line: number;
  readonly refusedBytes: number;
  readonly counts: Counts;
}

/** @returns null when there is none. @throws Error when it is damaged or of another source */
export function readBookmark(file: string, source: string): Bookmark | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const help = `Remove ${file} to begin anew: what has been imported is skipped.`;
  let bookmark: Partial<Bookmark>;
  try {
    bookmark = JSON.parse(text) as Partial<Bookmark>;
  } catch {
    throw new Error(`The bookmark is damaged. ${help}`);
  }
  if (bookmark.source !== source) throw new Error(`The bookmark is of another source. ${help}`);
  return bookmark as Bookmark;
}

/** Whole or not at all, whenever the process dies. */
export function writeBookmark(file: string, bookmark: Bookmark): void {
  const draft = `${file}.new`;
  const descriptor = openSync(draft, 'w', 0o600);
  writeSync(descriptor, `${JSON.stringify(bookmark)}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(draft, file);
}

export const removeBookmark = (file: string): void => rmSync(file, { force: true });
