import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type StageCounts, type StageName, stageNames } from '../../importing/counts.js';

/** Progress of an import: all rows before this position are imported or in the file of refused rows. */
export interface Bookmark {
  /** The source, so that a bookmark of another one is not used. */
  readonly source: string;
  readonly stage: StageName;
  /** Of a file: the byte after the last line; of a database: the last id. Null: the stage begins. */
  readonly place: string | null;
  readonly line: number;
  readonly refusedBytes: number;
  readonly counts: StageCounts;
}

/** @returns null when there is none. @throws Error when it is damaged, of another source or of another release */
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
  const { stage, counts } = bookmark;
  if (stage === undefined || !stageNames.includes(stage) || stageNames.some((name) => counts?.[name] === undefined)) {
    throw new Error(`The bookmark is of another release. ${help}`);
  }
  return bookmark as Bookmark;
}

/** Writes atomically. */
export function writeBookmark(file: string, bookmark: Bookmark): void {
  const draft = `${file}.new`;
  const descriptor = openSync(draft, 'w', 0o600);
  writeSync(descriptor, `${JSON.stringify(bookmark)}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(draft, file);
}

export const removeBookmark = (file: string): void => rmSync(file, { force: true });
