import { CONNECTION_LIMIT_QUERY, Connection, clientConfig } from './connection.js';
import { DatabaseUnavailableError, isSqlError } from './errors.js';
import { readMigrationState } from './migrate.js';

export interface DiagnoseOptions {
  readonly url: string;
  readonly prefix: string;
  /** Most connections of the whole process; 0: as many as the server grants. */
  readonly maxConnections: number;
  /** Default: sql/migrations of this package. */
  readonly migrationsDirectory?: string;
  readonly connectTimeoutSeconds?: number;
}

/** State of the database for operators. It contains no password, so all of it may be printed. */
export interface Diagnosis {
  readonly place: string;
  readonly serverVersion: string;
  /** Median of five round trips. */
  readonly latencyMs: number;
  /** Connections the server permits this user. */
  readonly grants: number;
  /** Number of the newest migration; null when it could not be read (see `problems`). */
  readonly schemaVersion: number | null;
  readonly pendingMigrations: readonly string[];
  /** Each problem with its remedy; empty when there is none. */
  readonly problems: readonly string[];
}

const OLDEST_SERVER = 130000;
const ROUND_TRIPS = 5;

interface Facts {
  version: string;
  version_number: number;
  schema: string | null;
  may_create: boolean | null;
  is_standby: boolean;
  encoding: string;
}

const FACTS_QUERY = `
  select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
    current_schema() as schema, has_schema_privilege(current_schema(), 'create') as may_create,
    pg_is_in_recovery() as is_standby, current_setting('server_encoding') as encoding`;

/**
 * Checks the database as the server would use it, and changes nothing.
 * @throws Error whose message says why the database cannot be reached, and the remedy
 */
export async function diagnoseDatabase(options: DiagnoseOptions): Promise<Diagnosis> {
  const connectTimeoutMs = (options.connectTimeoutSeconds ?? 5) * 1000;
  const client = new Connection(
    clientConfig({ url: options.url, connectTimeoutMs, statementTimeoutMs: 5000, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [facts] = (await client.query<Facts>(FACTS_QUERY)).rows as [Facts];
    const [{ grants }] = (await client.query<{ grants: number }>(CONNECTION_LIMIT_QUERY)).rows as [{ grants: number }];
    const timesMs: number[] = [];
    for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
      const startedMs = performance.now();
      await client.query('select 1');
      timesMs.push(performance.now() - startedMs);
    }
    const problems = [...checkFacts(facts), ...checkPoolSize(options.maxConnections, grants)];
    const migrations = await readMigrationState({
      url: options.url,
      prefix: options.prefix,
      ...(options.migrationsDirectory === undefined ? {} : { directory: options.migrationsDirectory }),
    }).catch((error: Error) => {
      problems.push(error.message);
      return undefined;
    });
    return {
      place: describePlace(options.url),
      serverVersion: facts.version,
      latencyMs: timesMs.sort((a, b) => a - b)[ROUND_TRIPS >> 1] ?? 0,
      grants,
      schemaVersion: migrations?.version ?? null,
      pendingMigrations: migrations?.pending ?? [],
      problems,
    };
  } catch (error) {
    throw new Error(explainFailure(error, options.url), { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

function checkFacts(facts: Facts): string[] {
  const problems: string[] = [];
  if (facts.version_number < OLDEST_SERVER)
    problems.push(`PostgreSQL ${facts.version} is too old: 13 or later is needed.`);
  if (facts.is_standby) problems.push('This is a read-only standby. Point DATABASE_URL at the primary.');
  if (facts.encoding !== 'UTF8') {
    problems.push(
      `The database is encoded in ${facts.encoding}. Create a new one: create database … encoding 'UTF8' template template0`,
    );
  }
  if (facts.schema === null) {
    problems.push('No schema of the search_path exists. Set one: alter role … set search_path = public');
  } else if (!facts.may_create) {
    problems.push(
      `The user may not create tables in the schema ${facts.schema}: grant create on schema ${facts.schema} to …`,
    );
  }
  return problems;
}

function checkPoolSize(maxConnections: number, grants: number): string[] {
  if (maxConnections <= grants) return [];
  return [
    `AUTH_DB_MAX_POOL_SIZE is ${maxConnections}, but the server grants this user ${grants} connections. Lower it, or raise max_connections.`,
  ];
}

/** `latchkey at db.example:5432, as auth`: the parts of a URL that are no secret. */
export function describePlace(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const user = decodeURIComponent(username) || 'the default user';
  const host = hostname || searchParams.get('host') || 'localhost';
  return `${decodeURIComponent(pathname.slice(1)) || user} at ${host}:${port || '5432'}, as ${user}`;
}

/** Why a connection failed, and the remedy. Names host, port, user and database, never the password. */
export function explainFailure(error: unknown, url: string): string {
  const place = describePlace(url);
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  const code = (cause as { code?: string } | null)?.code ?? '';
  const explanation = explanations[code];
  if (explanation !== undefined) return `${place}: ${explanation}`;
  if (isSqlError(cause)) return `${place}: the server says ${cause.code}, ${cause.message}`;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/does not support SSL/.test(message)) {
    return `${place}: the server does not support TLS. Add ?sslmode=disable to DATABASE_URL, or enable TLS there.`;
  }
  if (/timeout/i.test(message)) return `${place}: ${explanations['ETIMEDOUT']}`;
  if (/certificate/i.test(message) || /^(ERR_TLS|SELF_SIGNED|UNABLE_TO|CERT_|DEPTH_ZERO)/.test(code)) {
    return `${place}: the server's certificate is not trusted (${code || message}). Name its authority: ?sslmode=verify-full&sslrootcert=FILE`;
  }
  return `${place}: ${code || 'the connection could not be made'}`;
}

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start the database, or correct host and port in DATABASE_URL.',
  ENOTFOUND: 'the host name is not known. Correct it in DATABASE_URL, or check the DNS of this machine.',
  EAI_AGAIN: 'the host name cannot be resolved right now. Check the DNS of this machine.',
  ETIMEDOUT: 'no answer in time. A firewall in between, a wrong host, or an overloaded server.',
  EHOSTUNREACH: 'there is no route to that host. Check the network of this machine.',
  ENETUNREACH: 'there is no route to that network. Check the network of this machine.',
  ECONNRESET: 'the connection was reset while it was opened. A proxy in between, or TLS settings that do not match.',
  ENOENT: 'there is no such socket. Start the database, or correct the host in DATABASE_URL.',
  '28P01':
    'the password or the user is wrong. Correct them in DATABASE_URL; special characters must be percent-encoded.',
  '28000': 'the server does not accept this user from this host. Check its pg_hba.conf, or add ?sslmode=require.',
  '3D000': 'there is no such database. Create it: create database …',
  '53300': 'the server has no connection slot left. Raise max_connections, or close other programs.',
  '57P03': 'the server is starting or stopping. Try again in a moment.',
};
