/** How a database is given to the nodes of its Citus cluster: for `latchkey check db`. */
import type pg from 'pg';
import { readCitusVersion, readRelease, readTables, releaseTable, withClient } from './cluster-client.js';
import { COPIED, copyOf } from './copies.js';
import { coordinatorStatements } from './statements.js';

/** A cluster as it is now. */
export interface ClusterLayout {
  /** `13.2-1` */
  readonly version: string;
  /** Shards and sessions (an estimate of Postgres) of each worker, by `host:port`. */
  readonly nodes: readonly { readonly node: string; readonly shards: number; readonly bytes: number }[];
  /** Each problem with its remedy. */
  readonly problems: readonly string[];
}

/** @returns undefined where the database is not distributed, and has no part of it */
export async function readClusterLayout(url: string, prefix: string): Promise<ClusterLayout | undefined> {
  return withClient(url, async (client) => {
    const version = await readCitusVersion(client);
    if (version === undefined) return undefined;
    const tables = await readTables(client);
    const wanted = [...Object.keys(COPIED).map(copyOf), 'sessions', 'session_records'];
    const missing = wanted.filter((name) => !tables.has(prefix + name));
    if (missing.length === wanted.length) return undefined;
    const problems: string[] = [];
    if (missing.length > 0) {
      problems.push(
        `The database is distributed in part: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Run latchkey migrate --distribute again.`,
      );
    }
    const { rows } = await client.query("select obj_description(to_regclass($1), 'pg_class') as release", [
      client.escapeIdentifier(releaseTable(prefix)),
    ]);
    if (missing.length === 0 && rows[0].release !== (await readRelease(client, prefix))) {
      problems.push(
        'The database was distributed by another release, or before its last migration. Run latchkey migrate --distribute again.',
      );
    }
    const nodes = missing.includes('sessions') ? [] : await readNodes(client, prefix);
    const most = Math.max(...nodes.map(({ shards }) => shards));
    if (nodes.some(({ shards }) => shards < most - 1)) {
      problems.push('The shards are not balanced. Run select citus_rebalance_start() at the coordinator.');
    }
    if (missing.length === 0) problems.push(...(await findLateRecords(client, prefix)));
    return { version, nodes, problems };
  });
}

/** What servers should have carried long ago (session-records.ts). */
async function findLateRecords(client: pg.ClientBase, prefix: string): Promise<readonly string[]> {
  const { text } = coordinatorStatements(prefix).get('layout.late_records')!;
  const { late } = (await client.query(text)).rows[0];
  return late === 0
    ? []
    : [
        `The events of ${late} log-outs have not reached the coordinator after five minutes. The log of the servers says why, if any is running.`,
      ];
}

async function readNodes(client: pg.ClientBase, prefix: string): Promise<ClusterLayout['nodes']> {
  const { text } = coordinatorStatements(prefix).get('layout.nodes')!;
  const { rows } = await client.query(text);
  return rows.map(({ host, port, shards, bytes }) => ({ node: `${host}:${port}`, shards, bytes: Number(bytes) }));
}
