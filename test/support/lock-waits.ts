import type { TestDatabase } from './database.js';
import { until } from './until.js';

/** Waits until so many statements wait for a lock in a test's database. */
export async function untilBlocked({ admin }: Pick<TestDatabase, 'admin'>, count = 1): Promise<void> {
  await until(async () => {
    const { rows } = await admin.query<{ blocked: number }>(
      // What waits for a row waits for a transaction, which is of no database, but holds locks that are.
      `select count(distinct l.pid)::int as blocked from pg_locks l
       where not l.granted and l.pid in (
         select h.pid from pg_locks h join pg_database d on d.oid = h.database where d.datname = current_database())`,
    );
    return rows[0]!.blocked >= count;
  });
}
