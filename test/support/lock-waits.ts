import type { TestDatabase } from './database.js';
import { until } from './until.js';

/** Waits until so many statements wait for a lock in a test's database. */
export async function untilBlocked({ admin }: Pick<TestDatabase, 'admin'>, count = 1): Promise<void> {
  await until(async () => {
    const { rows } = await admin.query<{ blocked: number }>(
      `select count(distinct pid)::int as blocked from pg_locks
       where not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows[0]!.blocked >= count;
  });
}
