/** Reads the accounts of the compatible peer (supabase/auth) out of its own database. Changes nothing there. */
import type pg from 'pg';
import { Connection, clientConfig } from './connection.js';

/** A row of auth.users as JSON, with those of auth.identities that belong to it. */
export interface PeerAccount {
  readonly user: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly identities: readonly Readonly<Record<string, unknown>>[] | null;
}

export interface PeerReader {
  count(): Promise<number>;
  /** The next accounts by id. @param afterId of the last one that was read; null: from the beginning */
  read(afterId: string | null, most: number): Promise<PeerAccount[]>;
  close(): Promise<void>;
}

/** Whole rows, so that older and newer versions of the tables can be read; what a column means is decided elsewhere. */
const PAGE = `
  select row_to_json(u) as "user",
    (select json_agg(row_to_json(i)) from identities i where i.user_id = u.id) as identities
  from users u
  where $1::uuid is null or u.id > $1
  order by u.id
  limit $2`;

/**
 * @param schema where the peer keeps its tables, a plain lower-case name
 * @throws Error for another name; whatever pg says when it cannot connect or read
 */
export async function openPeer(url: string, schema: string): Promise<PeerReader> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new Error('The schema must be a plain lower-case name, e.g. auth');
  const client = new Connection(
    clientConfig({ url, connectTimeoutMs: 10_000, statementTimeoutMs: 0, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  await client.connect();
  /** Everything by transaction: behind a bouncer, what is set for a session stays on a connection of the peer's own. */
  async function readOnly<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    await client.query('begin read only');
    await client.query("select set_config('search_path', $1, true)", [schema]);
    const { rows } = await client.query<Row>(text, [...values]);
    await client.query('commit');
    return rows;
  }
  return {
    async count() {
      const rows = await readOnly<{ count: string }>('select count(*)::text as count from users', []);
      return Number(rows[0]!.count);
    },
    read: (afterId, most) => readOnly<PeerAccount>(PAGE, [afterId, most]),
    close: () => client.end(),
  };
}
