import pg from 'pg';

/** Where and how to connect. Times in milliseconds here, as pg counts. */
export interface ConnectionOptions {
  readonly url: string;
  readonly connectTimeoutMs: number;
  /** 0: none. */
  readonly statementTimeoutMs: number;
  /**
   * False behind a bouncer that refuses our start-up parameters; the client's own timer is then the only bound.
   */
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

/** What makes a value of a column's text, by the type's oid. pg's own cover jsonb, bytea, text[]. */
export const parserOf = (oid: number): ((text: string) => unknown) =>
  parsers.get(oid) ?? pg.types.getTypeParser(oid, 'text');

const types: pg.CustomTypesConfig = {
  // Per client, so that a second user of pg in this process keeps its own.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? pg.types.getTypeParser(oid, 'binary')
      : parserOf(oid)) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * A pg client whose session speaks ISO dates in UTC whatever the server's defaults are. The three are start-up
 * parameters because those cost no round trip and every bouncer tracks them (PgBouncer: track_extra_parameters).
 */
export class Connection extends pg.Client {
  /** pg builds its start-up packet from this method (pinned version; test/db/connection.test.ts looks at the result). */
  getStartupConf(): Record<string, string> {
    const base = (pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> }).getStartupConf;
    return { ...base.call(this), DateStyle: 'ISO, MDY', TimeZone: 'UTC' };
  }
}

/** What pg wants to hear for these options. */
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
    // Half a second later than the server's, which ends the statement more gently (REL-06: answers within 6 s).
    ...(limit > 0 ? { query_timeout: limit + 500 } : {}),
  };
}

/** True when a bouncer in front refused statement_timeout and its like as start-up parameters (PgBouncer: 08P01). */
export function isStartupRefused(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/.test(error.message);
}

/** What one role may open: the server's slots less the reserved ones, or the role's or database's own limit. */
export const GRANT_QUERY = `
  select least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
    nullif((select datconnlimit from pg_database where datname = current_database()), -1)
  ) as grants`;
