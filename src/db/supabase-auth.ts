/** Reads accounts and sessions from a database of supabase/auth, and changes nothing there. */
import type pg from 'pg';
import { Connection, clientConfig } from './connection.js';
import { type ApplicationOnPeer, findApplicationOnPeer } from './supabase-auth-application.js';
import { readSupabaseAuthFactors, type SupabaseAuthFactorReader } from './supabase-auth-factors.js';
import { readSupabaseAuthOauth, type SupabaseAuthOauthReader } from './supabase-auth-oauth.js';

type Columns = Readonly<Record<string, unknown>>;

/** A row of auth.users as JSON, with those of auth.identities that belong to it. */
export interface SupabaseAuthAccount {
  readonly user: Columns & { readonly id: string };
  readonly identities: readonly Columns[] | null;
  /** Both kinds of metadata as JSON text, with numbers that a double may not keep. */
  readonly metadata: string;
}

export interface SupabaseAuthToken {
  readonly token: string | null;
  readonly parent: string | null;
  readonly revoked: boolean | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

/** A verified factor of the user of a session. */
export interface SupabaseAuthSessionFactor {
  readonly id: string;
  readonly factor_type: string;
}

/** A row of auth.sessions as JSON, with its AMR claims and its newest refresh tokens, the newest first. */
export interface SupabaseAuthSession {
  readonly session: Columns & { readonly id: string };
  readonly claims: readonly Columns[] | null;
  /** Of a session that a factor has raised: this one first, then the others, the last challenged first. */
  readonly factors: readonly SupabaseAuthSessionFactor[] | null;
  readonly tokens: readonly SupabaseAuthToken[] | null;
  /** Identity of its user at a company, `sso:<id>`, or null. */
  readonly sso: string | null;
  /** It is of an OAuth client that is there and not deleted. */
  readonly has_client: boolean;
}

export interface SupabaseAuthReader extends SupabaseAuthFactorReader, SupabaseAuthOauthReader {
  countUsers(): Promise<number>;
  /** The next accounts by id. @param afterId of the last one that was read; null: from the beginning */
  readUsers(afterId: string | null, most: number): Promise<SupabaseAuthAccount[]>;
  /** False for a release from before 2023, which had no such tables. */
  hasSessions(): Promise<boolean>;
  countSessions(): Promise<number>;
  readSessions(afterId: string | null, most: number): Promise<SupabaseAuthSession[]>;
  /** What could be imported: without deleted accounts and clients, and what belongs to them. */
  countAll(): Promise<{ accounts: number; identities: number; sessions: number }>;
  /** Which of these are still there, and not deleted. */
  findPresent(what: keyof typeof PRESENT, ids: readonly string[]): Promise<string[]>;
  /** Foreign keys and triggers of an application. */
  findApplication(): Promise<ApplicationOnPeer>;
  close(): Promise<void>;
}

/** Whole rows, so that older and newer versions of the tables can be read. */
const USERS = `
  select row_to_json(u) as "user",
    (select json_agg(row_to_json(i) order by i.provider, i.provider_id) from identities i where i.user_id = u.id)
      as identities,
    json_build_object('raw_app_meta_data', u.raw_app_meta_data, 'raw_user_meta_data', u.raw_user_meta_data)::text
      as metadata
  from users u
  where $1::uuid is null or u.id > $1
  order by u.id
  limit $2`;

/**
 * A token that is older than the newest hundred is unknown here: it is refused, and raises no alarm. Without this limit
 * a session of two years would bring 17,000.
 */
const SESSIONS = `
  select row_to_json(s) as "session",
    (select json_agg(row_to_json(c)) from mfa_amr_claims c where c.session_id = s.id) as claims,
    (select min(i.provider) from identities i where i.user_id = s.user_id and i.provider like 'sso:%') as sso,
    case when s.factor_id is not null then (
      select json_agg(json_build_object('id', f.id, 'factor_type', f.factor_type)
        order by f.id = s.factor_id desc, row_to_json(f) ->> 'last_challenged_at' desc nulls last)
      from mfa_factors f where f.user_id = s.user_id and f.status = 'verified'
    ) end as factors,
    (select json_agg(row_to_json(t) order by t.id desc) from (
        select r.id, r.token, r.parent, r.revoked, r.created_at, r.updated_at
        from refresh_tokens r where r.session_id = s.id order by r.id desc limit 100
      ) t) as tokens
  from sessions s
  where $1::uuid is null or s.id > $1
  order by s.id
  limit $2`;

const HAS_SESSIONS = `
  select to_regclass('sessions') is not null and to_regclass('refresh_tokens') is not null
    and to_regclass('mfa_amr_claims') is not null and to_regclass('mfa_factors') is not null as has`;

const TOTALS = `
  select (select count(*) from users where deleted_at is null)::int as accounts,
    (select count(*) from identities i join users u on u.id = i.user_id where u.deleted_at is null)::int as identities,
    (select count(*) from sessions s join users u on u.id = s.user_id where u.deleted_at is null)::int as sessions`;

const SESSIONS_OF_DELETED_CLIENTS = `
  select count(*)::text as count
  from oauth_clients c
  join sessions s on row_to_json(s) ->> 'oauth_client_id' = c.id::text
  join users u on u.id = s.user_id
  where c.deleted_at is not null and u.deleted_at is null`;

const PRESENT = {
  accounts: 'select id from users where id = any($1::uuid[]) and deleted_at is null',
  sessions: 'select id from sessions where id = any($1::uuid[])',
  factors: "select id from mfa_factors where id = any($1::uuid[]) and status = 'verified'",
  passkeys: 'select id from webauthn_credentials where id = any($1::uuid[])',
  clients: 'select id from oauth_clients where id = any($1::uuid[]) and deleted_at is null',
  consents: 'select id from oauth_consents where id = any($1::uuid[])',
  providers: 'select id from custom_oauth_providers where id = any($1::uuid[])',
  sso_providers: 'select id from sso_providers where id = any($1::uuid[])',
};

/** Of DB_APP_SCHEMA, and no longer with the sessions of supabase/auth. */
async function isMirror(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ is_mirror: boolean }>(
    `select exists (select from pg_trigger t where t.tgrelid = to_regclass($1) and t.tgname = 'latchkey_changes')
       and (select c.relkind from pg_class c where c.oid = to_regclass($2)) is distinct from 'r' as is_mirror`,
    [`"${schema}".users`, `"${schema}".sessions`],
  );
  return rows[0]!.is_mirror;
}

/**
 * @param schema of the tables, a plain lower-case name
 * @throws Error for another name, or pg's error when it cannot connect or read
 */
export async function openSupabaseAuth(url: string, schema: string): Promise<SupabaseAuthReader> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new Error('The schema must be a plain lower-case name, e.g. auth');
  const client = new Connection(
    clientConfig({ url, connectTimeoutMs: 10_000, statementTimeoutMs: 0, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  await client.connect();
  if (await isMirror(client, schema)) {
    await client.end();
    throw new Error(`The schema ${schema} mirrors the accounts of Latchkey, and a move from it is finished.`);
  }
  /** In a transaction: a session's settings would stay on a pooler's connection, which supabase/auth uses too. */
  async function readOnly<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    await client.query('begin read only');
    await client.query("select set_config('search_path', $1, true)", [schema]);
    const { rows } = await client.query<Row>(text, [...values]);
    await client.query('commit');
    return rows;
  }
  const count = async (text: string): Promise<number> =>
    Number((await readOnly<{ count: string }>(text, []))[0]!.count);
  const oauth = readSupabaseAuthOauth(readOnly);
  let clientsAreThere: boolean | undefined;
  const hasClients = async (): Promise<boolean> => (clientsAreThere ??= (await oauth.findOauthTables()).clients);
  const findPresent = async (what: keyof typeof PRESENT, ids: readonly string[]): Promise<string[]> =>
    (await readOnly<{ id: string }>(PRESENT[what], [ids])).map(({ id }) => id);
  return {
    ...readSupabaseAuthFactors(readOnly),
    ...oauth,
    countUsers: () => count('select count(*)::text as count from users'),
    readUsers: (afterId, most) => readOnly<SupabaseAuthAccount>(USERS, [afterId, most]),
    hasSessions: async () => (await readOnly<{ has: boolean }>(HAS_SESSIONS, []))[0]!.has,
    countSessions: () => count('select count(*)::text as count from sessions'),
    async readSessions(afterId, most) {
      const rows = await readOnly<Omit<SupabaseAuthSession, 'has_client'>>(SESSIONS, [afterId, most]);
      const ids = new Set(rows.flatMap(({ session }) => (session['oauth_client_id'] as string | null) ?? []));
      const isAny = ids.size > 0 && (await hasClients());
      const clients = new Set(isAny ? await findPresent('clients', [...ids]) : []);
      return rows.map((row) => ({ ...row, has_client: clients.has(String(row.session['oauth_client_id'])) }));
    },
    async countAll() {
      const [totals] = await readOnly<{ accounts: number; identities: number; sessions: number }>(TOTALS, []);
      const ofDeleted = (await hasClients()) ? await count(SESSIONS_OF_DELETED_CLIENTS) : 0;
      return { ...totals!, sessions: totals!.sessions - ofDeleted };
    },
    findPresent,
    findApplication: () => findApplicationOnPeer(readOnly),
    close: () => client.end(),
  };
}
