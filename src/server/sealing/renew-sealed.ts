/**
 * After a change of AUTH_JWT_SECRET, or of another key that seals, what is stored is sealed with the new one, so that the
 * earlier one can be dropped.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SealedRow } from '../../db/types.js';
import type { TextSealer } from './text-sealer.js';

export interface SealedRows {
  /**
   * @param after the last row of the page before; null: the first page
   * @returns rows in order; none: that was the last page
   */
  readPage(after: SealedRow | null): Promise<readonly SealedRow[]>;
  /** Stores the row unless it has changed since it was read. */
  replace(row: SealedRow, sealed: string): Promise<void>;
  /** Reports a failure, after which the renewal starts again. */
  warn(reason: string): void;
}

/** Until the database is there. */
const RETRY_MS = 30_000;
/** For other requests. */
const PAGE_PAUSE_MS = 100;

/** Starts in the background. @returns a function that stops it after the row in progress */
export function startRenewal(sealer: TextSealer, rows: SealedRows): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function attempt(): Promise<void> {
    try {
      let page = await rows.readPage(null);
      while (page.length > 0 && !isClosed) {
        for (const row of page) {
          const sealed = sealer.renew(row.id, row.sealed);
          if (sealed !== null && !isClosed) await rows.replace(row, sealed);
        }
        await pause(PAGE_PAUSE_MS, undefined, { ref: false });
        page = await rows.readPage(page.at(-1)!);
      }
    } catch (error) {
      if (isClosed) return;
      rows.warn((error as Error).message);
      timer = setTimeout(() => void attempt(), RETRY_MS).unref();
    }
  }

  timer = setTimeout(() => void attempt(), 0).unref();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
