import type pg from 'pg';
import type { Statement } from '../../../src/db/statements.js';

/** What Citus makes of the statements. */
export interface StatementsOnCitus {
  /** Refused whatever the values are, by key, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  /** That ask every shard. */
  readonly ofAllShards: readonly string[];
  /** With the largest number of tasks that a part of it has: 0 where it needs no shard, 1 where it needs one. */
  readonly tasks: ReadonlyMap<string, number>;
}

const SAMPLES: Readonly<Record<string, string>> = {
  uuid: "'11111111-1111-4111-8111-111111111111'",
  text: "'1'",
  jsonb: "'[]'",
  json: "'[]'",
  boolean: 'false',
  'timestamp with time zone': "'2026-01-01'",
  inet: "'127.0.0.1'",
  bytea: "'\\x00'",
};

/** A value of the type, as SQL: an empty array, a number, or the sample. */
const sampleOf = (type: string): string => `${SAMPLES[type] ?? (type.endsWith('[]') ? "'{}'" : '1')}::${type}`;

/** Feature not supported, and what Citus says of tables in the wrong places: XX000, which has no class of its own. */
const REFUSALS = new Set(['0A000', 'XX000']);

/**
 * Plans every statement with sample values, and keeps nothing. A plan is where Citus refuses: by tables and functions, seldom by values.
 * @param client of the coordinator of a distributed database
 */
export async function tryStatements(client: pg.Client, statements: Iterable<Statement>): Promise<StatementsOnCitus> {
  const refused = new Map<string, string>();
  const tasks = new Map<string, number>();
  for (const { key, text } of statements) {
    try {
      await client.query("begin; set local statement_timeout = '20s'");
      await client.query(`prepare tried as ${text}`);
      const { rows } = await client.query<{ types: string[] }>(
        "select parameter_types::text[] as types from pg_prepared_statements where name = 'tried'",
      );
      const values = rows[0]!.types.map(sampleOf).join(', ');
      const plan = await client.query(`explain (costs off) execute tried${values && `(${values})`}`);
      const lines = plan.rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      tasks.set(key, Math.max(0, ...[...lines.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))));
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (REFUSALS.has(code)) refused.set(key, message);
    }
    await client.query('rollback; deallocate all');
  }
  return { refused, tasks, ofAllShards: [...tasks].filter(([, count]) => count > 1).map(([key]) => key) };
}
