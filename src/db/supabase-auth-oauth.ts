/** Reads OAuth clients, consents, custom providers and those of companies from a database of supabase/auth, and counts what stays there. */
import type pg from 'pg';

type Columns = Readonly<Record<string, unknown>>;

/** A row as JSON. */
export type SupabaseAuthRow = Columns & { readonly id: string };

/** Which tables there are: releases before 2.180, and of custom providers before 2026, lack some. */
export interface OauthTables {
  readonly clients: boolean;
  readonly consents: boolean;
  readonly providers: boolean;
  readonly ssoProviders: boolean;
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
  countSsoProviders(): Promise<number>;
  /** With their rows of saml_providers, as `saml`, and their `domains`. */
  readSsoProviders(afterId: string | null, most: number): Promise<SupabaseAuthRow[]>;
  countStaying(): Promise<StayingRows>;
}

const TABLES = `
  select to_regclass('oauth_clients') is not null as clients,
    to_regclass('oauth_clients') is not null and to_regclass('oauth_consents') is not null as consents,
    to_regclass('custom_oauth_providers') is not null as providers,
    to_regclass('sso_providers') is not null and to_regclass('saml_providers') is not null
      and to_regclass('sso_domains') is not null as "ssoProviders"`;

/** Whole rows, so that older and newer versions of the tables can be read. */
const PAGES = {
  clients: `
    select row_to_json(c) as row from oauth_clients c
    where $1::uuid is null or c.id > $1
    order by c.id
    limit $2`,
  consents: `
    select row_to_json(k) as row
    from oauth_consents k join oauth_clients c on c.id = k.client_id join users u on u.id = k.user_id
    where ($1::uuid is null or k.id > $1) and c.deleted_at is null and u.deleted_at is null
    order by k.id
    limit $2`,
  providers: `
    select row_to_json(p) as row from custom_oauth_providers p
    where $1::uuid is null or p.id > $1
    order by p.id
    limit $2`,
  ssoProviders: `
    select row_to_json(n) as row from (
      select p.*,
        (select json_agg(s) from saml_providers s where s.sso_provider_id = p.id) as saml,
        (select json_agg(d.domain order by d.created_at, d.domain) from sso_domains d where d.sso_provider_id = p.id)
          as domains
      from sso_providers p
      where $1::uuid is null or p.id > $1
      order by p.id
      limit $2
    ) n`,
};

const COUNT_CLIENTS = 'select count(*)::int as count from oauth_clients where deleted_at is null';
const COUNT_CONSENTS = `
  select count(*)::int as count
  from oauth_consents k join oauth_clients c on c.id = k.client_id join users u on u.id = k.user_id
  where c.deleted_at is null and u.deleted_at is null`;
const COUNT_PROVIDERS = 'select count(*)::int as count from custom_oauth_providers';
const COUNT_SSO_PROVIDERS = 'select count(*)::int as count from sso_providers';

/** Kind → its table, and which of its rows. What is under way lives for minutes; older rows are left over. */
const STAYING = {
  deleted_clients: ['oauth_clients', 'select count(*)::int as count from oauth_clients where deleted_at is not null'],
  client_requests: [
    'oauth_authorizations',
    "select count(*)::int as count from oauth_authorizations where status in ('pending', 'approved') and expires_at > now()",
  ],
  provider_sign_ins: [
    'oauth_client_states',
    "select count(*)::int as count from oauth_client_states where created_at > now() - interval '1 hour'",
  ],
  company_sign_ins: [
    'saml_relay_states',
    "select count(*)::int as count from saml_relay_states where created_at > now() - interval '1 hour'",
  ],
  unverified_factors: ['mfa_factors', "select count(*)::int as count from mfa_factors where status = 'unverified'"],
} as const;

const IS_THERE = 'select to_regclass($1) is not null as is_there';

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
    countSsoProviders: () => count(COUNT_SSO_PROVIDERS),
    readSsoProviders: (afterId, most) => readPage('ssoProviders', afterId, most),
    async countStaying() {
      const staying: Record<string, number> = {};
      for (const [kind, [table, text]] of Object.entries(STAYING)) {
        const [found] = await read<{ is_there: boolean }>(IS_THERE, [table]);
        if (!found!.is_there) continue;
        const rows = await count(text);
        if (rows > 0) staying[kind] = rows;
      }
      return staying;
    },
  };
}
