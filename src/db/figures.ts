/** The statements of sql/queries/records.sql about days and threads. */
import type { Database } from './types.js';

/** How often something happened on a day. */
export interface DayCount {
  /** As 2026-01-31, UTC. */
  readonly day: string;
  readonly name: string;
  readonly method: string;
  readonly result: string;
  readonly count: number;
}

export async function addDayCounts(db: Database, counts: readonly DayCount[]): Promise<void> {
  await db.run('records.add_counts', [JSON.stringify(counts)]);
}

/** Reads all sessions, once an hour among all instances; otherwise it does nothing. */
export async function countActiveUsers(db: Database): Promise<void> {
  await db.run('records.count_active', []);
}

export interface ActiveNow {
  /** There are more sessions than were read: the counts are too low. */
  readonly is_partial: boolean;
  readonly day: number;
  readonly week: number;
  readonly month: number;
  /** When all sessions were counted last, in seconds since the epoch. */
  readonly scanned_at: number | null;
}

/** @param mostSessions that are read, since no index says when a session was used last */
export const readActiveNow = async (db: Database, mostSessions: number): Promise<ActiveNow> =>
  (await db.run<ActiveNow>('records.active_now', [mostSessions]))[0]!;

export const readDayCounts = (db: Database, days: number): Promise<DayCount[]> =>
  db.run<DayCount>('records.days', [days]);

export async function putFigures(db: Database, threadId: string, figures: object): Promise<void> {
  await db.run('records.put_figures', [threadId, JSON.stringify(figures)]);
}

export async function removeFigures(db: Database, threadId: string): Promise<void> {
  await db.run('records.remove_figures', [threadId]);
}

/** Of each thread that has reported within some seconds. */
export const readFigures = async <Figures>(db: Database, withinSeconds: number): Promise<Figures[]> =>
  (await db.run<{ figures: Figures }>('records.figures', [withinSeconds])).map(({ figures }) => figures);
