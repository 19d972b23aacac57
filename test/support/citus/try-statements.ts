import type pg from 'pg';
import type { Statement } from '../../../src/db/statements.js';

/** What Citus makes of the statements. */
export interface StatementsOnCitus {
  /** Refused whatever the values are, by key, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  /** Into how many shards each statement looks. */
  readonly shards: ReadonlyMap<string, 'none' | 'one' | 'all'>;
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

/** What asks all shards within a statement (sql/citus/access.sql), and what asks one. */
const ALL_SHARDS =
  /"(?:sessions_of|sessions_of_provider|sessions_of_client|client_use|prune_sessions|is_superseded|sessions_by_ids)"\(/;
const ONE_SHARD =
  /"(?:session_by_id|enter_organization|leave_organization|leave_at_refresh|rename_session|replace_session|end_generation|revoke_tokens|revoke_reused)"\(|into "(?:new|ended|changed|switched|banned)_sessions"|into "renamed_methods"/;

/** Into how many shards a statement looks, by its text where Postgres plans it, and by its plan where Citus does. */
export function shardsOf(text: string, tasks: number): 'none' | 'one' | 'all' {
  if (tasks > 1 || ALL_SHARDS.test(text)) return 'all';
  return tasks === 1 || ONE_SHARD.test(text) ? 'one' : 'none';
}

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
  const shards = new Map<string, 'none' | 'one' | 'all'>();
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
      const tasks = Math.max(0, ...[...lines.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count)));
      shards.set(key, shardsOf(text, tasks));
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (REFUSALS.has(code)) refused.set(key, message);
      // The sample values are not what it takes.
      else shards.set(key, shardsOf(text, 0));
    }
    await client.query('rollback; deallocate all');
  }
  return { refused, shards };
}
