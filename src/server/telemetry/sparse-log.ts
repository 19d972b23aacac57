/**
 * Lines that clients can cause as often as they like. Written for each request, they would fill the disk and hide the others
 * in an overload, which is when the log is read.
 */
import type { Log } from './log.js';

const EVERY_MS = 1000;

/** @param count how many the line stands for; undefined: itself alone */
type WriteLine = (count: number | undefined) => void;

interface Window {
  waiting: number;
  /** Of the last one. */
  write: WriteLine;
}

export interface SparseLines {
  /**
   * Writes the first of a kind at once, and those that follow as one line a second with their number.
   * @param kind one of a few; not made of what a client sends
   */
  add(kind: string, write: WriteLine): void;
}

export function openSparseLines(everyMs: number = EVERY_MS): SparseLines {
  const windows = new Map<string, Window>();
  return {
    add(kind, write) {
      const open = windows.get(kind);
      if (open !== undefined) {
        open.waiting += 1;
        open.write = write;
        return;
      }
      const window: Window = { waiting: 0, write };
      windows.set(kind, window);
      const timer = setInterval(() => {
        if (window.waiting === 0) {
          clearInterval(timer);
          windows.delete(kind);
          return;
        }
        const count = window.waiting;
        window.waiting = 0;
        window.write(count);
      }, everyMs).unref();
      write(undefined);
    },
  };
}

const linesOf = new WeakMap<object, SparseLines>();

/**
 * Logs an object and a message, at most once a second for each kind of a logger.
 * @param kind see {@link SparseLines.add}
 */
export function logSparsely<Level extends 'error' | 'warn'>(
  log: Pick<Log, Level>,
  level: Level,
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  let lines = linesOf.get(log);
  if (lines === undefined) {
    lines = openSparseLines();
    linesOf.set(log, lines);
  }
  lines.add(`${level} ${kind}`, (count) => log[level]({ ...fields, ...(count !== undefined && { count }) }, message));
}
