/** Reading a log file while a server appends to it. */
import { readFileSync } from 'node:fs';

/** @returns the lines of a log that are complete: the last one may be half written */
export const readLogLines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

/** @returns the same lines, parsed */
export const readLogEntries = (path: string): Record<string, unknown>[] =>
  readLogLines(path).map((line) => JSON.parse(line));
