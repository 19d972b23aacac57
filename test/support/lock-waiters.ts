import type pg from 'pg';
import { until } from './until.js';

/** Waits until so many connections of the database wait for a lock, such as one that a transaction of `admin` has. */
export const awaitLockWaiters = (admin: pg.Client, count: number): Promise<void> =>
  until(async () => {
    const { rows } = await admin.query(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows[0].n >= count;
  });
