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
