import pg from 'pg';

/** Where and how to connect. Times are in milliseconds, as in pg. */
export interface ConnectionOptions {
  readonly url: string;
  readonly connectTimeoutMs: number;
  /** 0: none. */
  readonly statementTimeoutMs: number;
  /** False behind a connection pooler that rejects our start-up parameters: only the client's timer applies then. */
  readonly sendsTimeouts: boolean;
}

const TIMESTAMPTZ = 1184;
const TIMESTAMPTZ_ARRAY = 1185;
const BIGINT = 20;
const TEXT_ARRAY = 1009 as unknown as Parameters<typeof pg.types.getTypeParser>[0];

/**
 * Rewrites Postgres's ISO form as RFC 3339 in UTC, keeping microseconds (a Date would cut them).
 * `2026-11-21 11:39:36.12+00` → `2026-11-21T11:39:36.12Z`. `infinity` and years before 1 come back as they are.
 */
export function toRfc3339(value: string): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(value);
  if (parts === null) return value;
  const [, year, month, day, time, fraction = '', sign, hours, minutes = '0', seconds = '0'] = parts;
  const offsetSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (offsetSeconds === 0) return `${year}-${month}-${day}T${time}${fraction}Z`;
  const localMs = Date.parse(`${year}-${month}-${day}T${time}Z`);
  const utc = new Date(localMs - (sign === '-' ? -1 : 1) * offsetSeconds * 1000);
  return `${utc.toISOString().slice(0, 19)}${fraction}Z`;
}

/** A bigint as number while that is exact, else its digits as a string. */
export function toNumber(value: string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const parsers = new Map<number, (value: string) => unknown>([
  [TIMESTAMPTZ, toRfc3339],
  [
    TIMESTAMPTZ_ARRAY,
    (value) =>
      pg.types
        .getTypeParser(TEXT_ARRAY)(value)
        .map((item: string) => toRfc3339(item)),
  ],
  [BIGINT, toNumber],
]);

/** Parser of a column's text by type oid. pg's own parsers handle jsonb, bytea and text[]. */
export const typeParserOf = (oid: number): ((text: string) => unknown) =>
  parsers.get(oid) ?? pg.types.getTypeParser(oid, 'text');

const types: pg.CustomTypesConfig = {
  // Per client, so that other users of pg in this process are not affected.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? pg.types.getTypeParser(oid, 'binary')
      : typeParserOf(oid)) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * A pg client whose session uses ISO dates and UTC whatever the server's defaults are. These are start-up parameters,
 * since those cost no round trip and every connection pooler tracks them (PgBouncer: track_extra_parameters).
 */
export class Connection extends pg.Client {
  /** Undocumented: pg builds its start-up packet from this method. test/db/prepared-query.test.ts pins pg's version. */
  getStartupConf(): Record<string, string> {
    const base = (pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }).getStartupConf;
    return { ...base.call(this), DateStyle: 'ISO, MDY', TimeZone: 'UTC' };
  }
}

/** pg's configuration for these options. */
export function clientConfig(options: ConnectionOptions): pg.ClientConfig {
  const { statementTimeoutMs: limit } = options;
  return {
    connectionString: options.url,
    connectionTimeoutMillis: options.connectTimeoutMs,
    application_name: 'latchkey',
    keepAlive: true,
    types,
    ...(limit > 0 && options.sendsTimeouts
      ? { statement_timeout: limit, lock_timeout: limit, idle_in_transaction_session_timeout: 2 * limit }
      : {}),
    // Half a second after the server's own limit, which keeps the connection usable (REL-06: answers within 6 s).
    ...(limit > 0 ? { query_timeout: limit + 500 } : {}),
  };
}

/** True when a pooler rejected statement_timeout and the like as start-up parameters (PgBouncer: 08P01). */
export function isStartupRefused(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message);
}

/** Connections a role may open: the server's slots minus the reserved ones, or the limit of the role or database. */
export const CONNECTION_LIMIT_QUERY = `
  select least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
    nullif((select datconnlimit from pg_database where datname = current_database()), -1)
  ) as grants`;
