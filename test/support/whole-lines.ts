import { existsSync, readFileSync } from 'node:fs';

/** @returns the lines of a file that another process appends to, without the one that is being written; none: no file yet */
export const wholeLines = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
