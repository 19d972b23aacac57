/** Runs the write of a sign-in twice: first to see what it would do, then for good. */
import type { Database, Statements } from './types.js';

/** Ends the transaction of a rehearsal. */
class Rehearsed<Row> extends Error {
  readonly row: Row | undefined;

  constructor(row: Row | undefined) {
    super('rehearsed');
    this.row = row;
  }
}

/**
 * Runs a write and rolls it back, so that nothing stays of it.
 * @param write must use no other connection
 * @returns the row that the write returned
 * @throws what the write throws
 */
export async function rehearseWrite<Row>(
  db: Database,
  write: (db: Database) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  try {
    return await db.transaction(async (statements) => {
      throw new Rehearsed(await write(within(db, statements)));
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.row as Row | undefined;
    throw error;
  }
}

/**
 * Runs the write of a sign-in and gives its session the id that the rehearsal had.
 * @returns undefined when the write returned no row; nothing is written then
 */
export async function repeatSignIn<Row extends { id: string; session_id?: string }>(
  db: Database,
  sessionId: string,
  write: (db: Database) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  try {
    return await db.transaction(async (statements) => {
      const row = await write(within(db, statements));
      // A failed statement may have ended the transaction.
      if (row === undefined) throw new Rehearsed(undefined);
      await statements.run('sessions.rename_session', [row.session_id ?? null, sessionId, row.id]);
      return { ...row, session_id: sessionId };
    });
  } catch (error) {
    if (error instanceof Rehearsed) return undefined;
    throw error;
  }
}

/** The open transaction as a database. A transaction inside it is part of it. */
export const within = (db: Database, statements: Statements): Database => ({
  run: (name, values) => statements.run(name, values),
  transaction: (work) => work(statements),
  isReady: () => db.isReady(),
  stats: () => db.stats(),
  close: () => db.close(),
});
