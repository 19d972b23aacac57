import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import shift from 'postgres-shift';
import { type AppSchemaOptions, applyAppSchema } from './app-schema.js';
import { Connection, clientConfig } from './connection.js';
import { DatabaseUnavailableError, isConnectionFailure, isTimeout } from './errors.js';
import { type AppliedMigration, findPending, ownMigrationsDirectory, readMigrationFiles } from './migration-files.js';
import { retryWhereSafe } from './retry.js';
import { createShiftHandle } from './shift-handle.js';
import { applyPrefix } from './statements.js';

export interface MigrateOptions {
  readonly url: string;
  /** From prefixOf(). Each prefix has its own ledger and lock, so installations can share a database. */
  readonly prefix: string;
  /** The schema for applications; null: off. Absent: it stays as it is. */
  readonly appSchema?: AppSchemaOptions | null;
  /** Default: sql/migrations of this package. */
  readonly directory?: string;
  /** Default 5. */
  readonly connectTimeoutSeconds?: number;
  /** Longest wait for another process that is migrating. Default 60. */
  readonly lockTimeoutSeconds?: number;
}

export interface MigrateResult {
  /** Names of the applied files, in order. */
  readonly applied: readonly string[];
  /** Newest migration of the database; higher than our files after a newer release has run. */
  readonly version: number;
  /** What the migrations say to the operator. */
  readonly notices: readonly string[];
}

/** SQLSTATE of `raise notice`; notices that Postgres gives by itself have others. */
const RAISED = '00000';

/**
 * Brings the schema up to date in one transaction that holds an advisory lock (REL-07): of several processes one
 * migrates, and the others wait. It needs no session state, so it works through a connection pooler.
 * @throws DatabaseUnavailableError, MigrationChangedError, AppSchemaError, or the pg error of the statement that failed
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const directory = options.directory ?? ownMigrationsDirectory;
  const files = readMigrationFiles(directory);
  const run = () =>
    withClient(options, async (client) => {
      const notices: string[] = [];
      client.on('notice', ({ code, message }) => void (code === RAISED && message && notices.push(message)));
      await client.query('begin');
      await client.query(`set local lock_timeout = '${options.lockTimeoutSeconds ?? 60}s'`);
      await client.query('set local statement_timeout = 0');
      await takeLock(client, options.prefix);
      const before = await readLedger(client, options.prefix);
      const pending = findPending(files, before);
      if (pending.length > 0) {
        const sql = createShiftHandle(client, options.prefix) as unknown as Parameters<typeof shift>[0]['sql'];
        await shift({ sql, path: directory });
      }
      const { appSchema } = options;
      if (appSchema !== undefined) notices.push(...(await applyAppSchema(client, options.prefix, appSchema)));
      const ledger = pending.length > 0 ? await readLedger(client, options.prefix) : before;
      await client.query('commit');
      return { applied: pending.map(({ file }) => file), version: ledger.at(-1)?.migration_id ?? 0, notices };
    });
  // A release that serves meanwhile locks the same tables in another order.
  return retryWhereSafe(false, run);
}

export interface MigrationState {
  readonly version: number;
  readonly pending: readonly string[];
}

/**
 * Compares the database with the files, and changes nothing.
 * @throws like {@link migrate}
 */
export async function readMigrationState(options: MigrateOptions): Promise<MigrationState> {
  const files = readMigrationFiles(options.directory ?? ownMigrationsDirectory);
  return withClient(options, async (client) => {
    const ledger = await readLedger(client, options.prefix);
    return {
      version: ledger.at(-1)?.migration_id ?? 0,
      pending: findPending(files, ledger).map(({ file }) => file),
    };
  });
}

export interface RetryOptions {
  /** Called before each pause. */
  onFailure(error: DatabaseUnavailableError, pauseSeconds: number): void;
  /** Longest time until a database that becomes reachable is noticed (REL-04 allows 2). Default 1. */
  readonly maxPauseSeconds?: number;
  /** Default: never. */
  readonly giveUpAfterSeconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Repeats {@link migrate} while the database cannot be reached (REL-04). Other errors are thrown at once.
 * @throws DatabaseUnavailableError after `giveUpAfterSeconds`, AbortError when the signal fires
 */
export async function migrateWhenReachable(options: MigrateOptions, retry: RetryOptions): Promise<MigrateResult> {
  const startedMs = performance.now();
  const maxPauseMs = (retry.maxPauseSeconds ?? 1) * 1000;
  const giveUpAfterMs = (retry.giveUpAfterSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  for (let pauseMs = Math.min(100, maxPauseMs); ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await migrate(options);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      if (performance.now() - startedMs + pauseMs > giveUpAfterMs) throw error;
      retry.onFailure(error, pauseMs / 1000);
    }
    await pause(pauseMs, undefined, retry.signal === undefined ? {} : { signal: retry.signal });
  }
}

async function withClient<Result>(
  options: MigrateOptions,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = new Connection(
    clientConfig({
      url: options.url,
      connectTimeoutMs: (options.connectTimeoutSeconds ?? 5) * 1000,
      statementTimeoutMs: 0,
      sendsTimeouts: false,
    }),
  );
  // The running query reports a lost connection; without a listener the event would end the process (REL-02).
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new DatabaseUnavailableError(error);
  }
  try {
    return await work(client);
  } catch (error) {
    throw isConnectionFailure(error) ? new DatabaseUnavailableError(error) : error;
  } finally {
    // Closing the connection rolls back an open transaction.
    await client.end().catch(() => undefined);
  }
}

async function takeLock(client: pg.ClientBase, prefix: string): Promise<void> {
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${prefix}migrations`]);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new Error('Another process is still migrating this database. Try again when it is done.', { cause: error });
  }
}

async function readLedger(client: pg.ClientBase, prefix: string): Promise<AppliedMigration[]> {
  const columns = await client.query(
    // Not information_schema, whose views take Postgres ten times as long, at each start.
    `select a.attname::text as name from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     join pg_namespace n on n.oid = c.relnamespace
     where c.relname = $1 and n.nspname = any (current_schemas(false)) and c.relkind in ('r', 'p', 'v', 'f')
       and a.attnum > 0 and not a.attisdropped`,
    [`${prefix}migrations`],
  );
  if (columns.rows.length === 0) return [];
  if (!columns.rows.some(({ name }) => name === 'checksum')) {
    throw new Error(
      `This database has a table ${prefix}migrations that is not Latchkey's. Set AUTH_DB_NAMESPACE to a name of its own, for example: auth`,
    );
  }
  const ledger = await client.query<AppliedMigration>(
    applyPrefix('select migration_id, file, checksum from /*p*/migrations order by migration_id', prefix),
  );
  return ledger.rows;
}
