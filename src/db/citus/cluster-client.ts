/** What the distribution of a database and the report on it share: the connection, the scripts of sql/citus, the state of the cluster. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Connection, clientConfig } from '../connection.js';
import { applyPrefix } from '../statements.js';

export async function readCitusVersion(client: pg.ClientBase): Promise<string | undefined> {
  return (await client.query("select extversion from pg_extension where extname = 'citus'")).rows[0]?.extversion;
}

/** Tables of which Citus has a copy on each node, or shards: those of the search path, as in all statements. */
export async function readTables(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query(
    `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where (p.partmethod = 'h' or p.repmodel = 't') and pg_table_is_visible(c.oid)`,
  );
  return new Set(rows.map(({ name }) => name));
}

export const readScript = (name: string, prefix: string): string =>
  applyPrefix(
    readFileSync(fileURLToPath(new URL(`../../../../sql/citus/${name}.sql`, import.meta.url)), 'utf8'),
    prefix,
  );

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new Connection(
    clientConfig({ url, connectTimeoutMs: 5000, statementTimeoutMs: 0, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const SCRIPTS = ['copies', 'shards', 'access', 'triggers', 'keys', 'recording', 'session-records'];

/** Its comment says for what the database was distributed: {@link readRelease}. */
export const releaseTable = (prefix: string): string => `${prefix}session_shape`;

/** @returns what the scripts of this release and the newest migration of the database come to */
export async function readRelease(client: pg.ClientBase, prefix: string): Promise<string> {
  const scripts = createHash('sha256').update(SCRIPTS.map((name) => readScript(name, prefix)).join('\n'));
  const { rows } = await client.query(applyPrefix('select max(migration_id) as newest from /*p*/migrations', prefix));
  return `${rows[0].newest} ${scripts.digest('hex').slice(0, 16)}`;
}
