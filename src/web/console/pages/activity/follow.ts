/** What is new in the audit log. */
import { pathWith, send } from '../../core/api.js';
import type { Entry, EntryPage } from './entries.js';

interface TailPage {
  readonly entries: readonly Entry[];
  readonly next_cursor: string | null;
}
export interface News {
  readonly entries: readonly Entry[];
  /** More happened than is asked for: these are the newest, and there are others before them. */
  readonly isCut: boolean;
}

/** Full answers in a row, after which only the newest entries are asked for, so that the tail never falls behind. */
const MOST_FULL = 4;

/** What the server looks back from `since`. */
const OVERLAP_MS = 3000;

/**
 * @param since created_at of the newest entry that is known
 * @param cutAt that of the newest one when the news were cut last. What was left out is not asked for again.
 * @throws Fault as `send`
 */
export async function readNews(since: string, cutAt: string | null, signal: AbortSignal): Promise<News> {
  const exact = cutAt !== null && Date.parse(since) - Date.parse(cutAt) < OVERLAP_MS ? 'true' : null;
  const options = { signal, isBackground: true };
  const entries: Entry[] = [];
  let cursor: string | null = null;
  for (let asked = 0; asked < MOST_FULL; asked++) {
    const path = pathWith('/api/activity/tail', cursor === null ? { since, exact } : { cursor });
    const { data }: { data: TailPage } = await send<TailPage>('GET', path, options);
    entries.push(...data.entries);
    cursor = data.next_cursor;
    if (cursor === null) return { entries, isCut: false };
  }
  const { data } = await send<EntryPage>('GET', pathWith('/api/activity', { limit: '200' }), options);
  return { entries: data.entries, isCut: true };
}
