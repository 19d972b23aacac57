/** Reads OAuth clients, consents and custom providers from a database of supabase/auth, and counts what stays there. */
import type pg from 'pg';

type Columns = Readonly<Record<string, unknown>>;

/** A row as JSON. */
export type SupabaseAuthRow = Columns & { readonly id: string };

/** Which tables there are: releases before 2.180, and of custom providers before 2026, lack some. */
export interface OauthTables {
  readonly clients: boolean;
  readonly consents: boolean;
  readonly providers: boolean;
}

/** Rows that no import can carry, by kind; kinds without rows are absent. */
export type StayingRows = Partial<Record<keyof typeof STAYING, number>>;

export interface SupabaseAuthOauthReader {
  findOauthTables(): Promise<OauthTables>;
  /** Without deleted ones. */
  countClients(): Promise<number>;
  /** The next ones by id, deleted ones too. @param afterId of the last one that was read; null: from the beginning */
  readClients(afterId: string | null, most: number): Promise<SupabaseAuthRow[]>;
  /** Of clients and users that are not deleted; so are those of the pages. */
  countConsents(): Promise<number>;
  readConsents(afterId: string | null, most: number): Promise<SupabaseAuthRow[]>;
  countProviders(): Promise<number>;
  readProviders(afterId: string | null, most: number): Promise<SupabaseAuthRow[]>;
  countStaying(): Promise<StayingRows>;
}

const TABLES = `
  select to_regclass('oauth_clients') is not null as clients,
    to_regclass('oauth_clients') is not null and to_regclass('oauth_consents') is not null as consents,
    to_regclass('custom_oauth_providers') is not null as providers`;

/** Whole rows, so that older and newer versions of the tables can be read. */
const page = (table: string, condition = 'true'): string => `
  select row_to_json(t) as row from ${table} t
  where ($1::uuid is null or t.id > $1) and ${condition}
  order by t.id
  limit $2`;

const PAGES = {
  clients: page('oauth_clients'),
  consents: page(
    'oauth_consents',
    `exists (select from oauth_clients c where c.id = t.client_id and c.deleted_at is null)
    and exists (select from users u where u.id = t.user_id and u.deleted_at is null)`,
  ),
  providers: page('custom_oauth_providers'),
};

const COUNT_CLIENTS = 'select count(*)::int as count from oauth_clients where deleted_at is null';
const COUNT_CONSENTS = `
  select count(*)::int as count
  from oauth_consents k join oauth_clients c on c.id = k.client_id join users u on u.id = k.user_id
  where c.deleted_at is null and u.deleted_at is null`;
const COUNT_PROVIDERS = 'select count(*)::int as count from custom_oauth_providers';

/** Kind → its table and which of its rows. What is under way lives for minutes; older rows are left over. */
const STAYING = {
  sso_providers: ['sso_providers', 'true'],
  deleted_clients: ['oauth_clients', 'deleted_at is not null'],
  client_requests: ['oauth_authorizations', "status in ('pending', 'approved') and expires_at > now()"],
  provider_sign_ins: ['oauth_client_states', "created_at > now() - interval '1 hour'"],
  unverified_factors: ['mfa_factors', "status = 'unverified'"],
} as const;

/** @param read runs a statement on the tables */
export function readSupabaseAuthOauth(
  read: <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => Promise<Row[]>,
): SupabaseAuthOauthReader {
  const count = async (text: string): Promise<number> => (await read<{ count: number }>(text, []))[0]!.count;
  const readPage = async (kind: keyof typeof PAGES, afterId: string | null, most: number): Promise<SupabaseAuthRow[]> =>
    (await read<{ row: SupabaseAuthRow }>(PAGES[kind], [afterId, most])).map(({ row }) => row);
  return {
    findOauthTables: async () => (await read<OauthTables>(TABLES, []))[0]!,
    countClients: () => count(COUNT_CLIENTS),
    readClients: (afterId, most) => readPage('clients', afterId, most),
    countConsents: () => count(COUNT_CONSENTS),
    readConsents: (afterId, most) => readPage('consents', afterId, most),
    countProviders: () => count(COUNT_PROVIDERS),
    readProviders: (afterId, most) => readPage('providers', afterId, most),
    async countStaying() {
      const staying: Record<string, number> = {};
      for (const [kind, [table, condition]] of Object.entries(STAYING)) {
        const [found] = await read<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [table]);
        if (!found!.is_there) continue;
        const rows = await count(`select count(*)::int as count from ${table} where ${condition}`);
        if (rows > 0) staying[kind] = rows;
      }
      return staying;
    },
  };
}
