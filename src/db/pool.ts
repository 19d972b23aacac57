import type pg from 'pg';
import { Batcher } from '../batching/batcher.js';
import { type BatchedRow, distribute, transpose } from './batches.js';
import { Connections, reasonOf } from './connections.js';
import {
  DatabaseUnavailableError,
  isConnectionFailure,
  isPlanStale,
  isSqlError,
  isStatementLost,
  isTimeout,
  PoolExhaustedError,
} from './errors.js';
import { runPrepared } from './prepared-query.js';
import { NotSentError, repeatWhereSafe } from './retry.js';
import { loadStatements, QUERIES_DIRECTORY, type Statement } from './statements.js';
import type { Database, DatabaseLog, SqlValue, Statements } from './types.js';

export interface DatabaseOptions {
  /** postgres:// URL. */
  readonly url: string;
  /** Most connections of this thread. 0: as many as the server grants (decisions.md 18). */
  readonly maxConnections: number;
  /** From prefixOf(): `''` or `<namespace>_`. */
  readonly prefix: string;
  /** False for bouncers that cannot follow named statements (PgBouncer before 1.21 in transaction mode). */
  readonly preparedStatements: boolean;
  /** How long a caller waits for a connection to become free, and for one to be opened. Default 1.8. */
  readonly acquireTimeoutSeconds?: number;
  /** Bound of one statement and of waiting for a lock; 0: none. Default 3. */
  readonly statementTimeoutSeconds?: number;
  /** How many callers may wait for a connection; the next is refused at once. Default 512. */
  readonly maxWaiting?: number;
  /** How long a connection may lie unused before it is closed; 0: for ever. Default 30. */
  readonly idleTimeoutSeconds?: number;
  /** Age at which a connection is replaced; 0: never. Default 0. */
  readonly maxLifetimeSeconds?: number;
  readonly log: DatabaseLog;
  /** Default: sql/queries of this package. */
  readonly queriesDirectory?: string;
}

const READY_CACHE_MS = 1000;
/** Demanded is a refusal within 2 s (REL-05), and a hundred of them take a while to be made and read. */
const ACQUIRE_TIMEOUT_SECONDS = 1.8;
/** Two connections that take everything that queued meanwhile beat eight that take one each (design.md 8). */
const BATCH_LANES = 2;
/**
 * The second one is for a database that is far away or slow to flush a commit, and for a statement that hangs; there a
 * caller may wait so long in vain. With 1 ms a batch of refreshes is smaller and 3 % fewer are answered, with 5 ms as many.
 */
const LANE_HESITATION_MS = 3;
const MOST_BATCHED = 32;
const MAX_WAITING = 512;

/**
 * Opens the database. Nothing connects before the first statement.
 * @throws when a file of sql/queries cannot be read as statements, or the prefix is not a plain name (SEC-75)
 */
export function openDatabase(options: DatabaseOptions): Database {
  return new PooledDatabase(options, loadStatements(options.queriesDirectory ?? QUERIES_DIRECTORY, options.prefix));
}

class PooledDatabase implements Database {
  readonly #connections: Connections;
  #usesNames: boolean;
  #lastSuccessMs = Number.NEGATIVE_INFINITY;
  #probe: { readonly startedMs: number; readonly result: Promise<boolean> } | undefined;
  #isClosing = false;
  /** Statements that have a companion for many callers at once. */
  readonly #batches = new Map<string, Batcher<readonly SqlValue[], BatchedRow[]>>();

  constructor(
    private readonly options: DatabaseOptions,
    private readonly statements: ReadonlyMap<string, Statement>,
  ) {
    const acquireTimeoutMs = (options.acquireTimeoutSeconds ?? ACQUIRE_TIMEOUT_SECONDS) * 1000;
    this.#usesNames = options.preparedStatements;
    this.#connections = new Connections({
      url: options.url,
      maxConnections: options.maxConnections,
      acquireTimeoutMs,
      connectTimeoutMs: acquireTimeoutMs,
      statementTimeoutMs: (options.statementTimeoutSeconds ?? 3) * 1000,
      sendsTimeouts: true,
      maxWaiting: options.maxWaiting ?? MAX_WAITING,
      idleTimeoutMs: (options.idleTimeoutSeconds ?? 30) * 1000,
      maxLifetimeSeconds: options.maxLifetimeSeconds ?? 0,
      log: options.log,
    });
    for (const batch of statements.values()) {
      if (batch.batchOf !== undefined) this.#batches.set(batch.batchOf, this.#batcher(batch, batch.batchOf));
    }
  }

  #batcher(batch: Statement, single: string): Batcher<readonly SqlValue[], BatchedRow[]> {
    return new Batcher({
      lanes: BATCH_LANES,
      hesitationMs: LANE_HESITATION_MS,
      waitsForPoll: true,
      mostJobs: MOST_BATCHED,
      // Where the database cannot be reached, asking once more for each would only make all wait longer.
      isWorthRedoing: isSqlError,
      // As long as anybody waits for a connection, so that a slow database bounds the answer (REL-06).
      patienceMs: (this.options.acquireTimeoutSeconds ?? ACQUIRE_TIMEOUT_SECONDS) * 1000,
      mostWaiting: this.options.maxWaiting ?? MAX_WAITING,
      makeRefusal: () => new PoolExhaustedError(1),
      send: async (jobs) => {
        const runSingly = (job: readonly SqlValue[], isOfLane: boolean) =>
          this.#runAlone<BatchedRow>(this.#find(single, job), job, isOfLane);
        // The statement of one that is redone may wait for a lock, and whoever holds that must not hold the lane as well:
        // one alone goes as a batch of one, and what is redone goes beside the lanes.
        if (jobs.length === 1 && !batch.redoesMissing) return [await runSingly(jobs[0]!, true)];
        const answers = distribute(await this.#runAlone<BatchedRow>(batch, transpose(jobs), true), jobs.length);
        if (!batch.redoesMissing) return answers;
        return answers.map((rows, index) => (rows.length === 0 ? runSingly(jobs[index]!, false) : rows));
      },
    });
  }

  /** Not async: a promise in a promise takes three more turns of the microtask queue, for every caller of a batch. */
  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]> {
    let statement: Statement;
    try {
      statement = this.#find(name, values);
    } catch (error) {
      return Promise.reject(error);
    }
    const batches = this.#batches.get(name);
    return batches === undefined ? this.#runAlone(statement, values) : (batches.add(values) as Promise<Row[]>);
  }

  async #runAlone<Row>(statement: Statement, values: readonly SqlValue[], isOfLane = false): Promise<Row[]> {
    return this.#guard(statement.isRead, (client) => this.#execute<Row>(client, statement, values), isOfLane);
  }

  async transaction<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#guard(false, async (client) => {
      await client.query('begin');
      let result: Result;
      try {
        result = await work({
          run: async (name, values) => this.#execute(client, this.#find(name, values), values),
        });
      } catch (error) {
        // When even that fails the connection goes, and Postgres rolls back by itself.
        await client.query('rollback').catch(() => this.#connections.discard(client));
        throw error;
      }
      const { command } = await client.query('commit');
      // Postgres answers COMMIT of a failed transaction with ROLLBACK and no error, e.g. when `work` swallowed one.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement in it had failed.');
      return result;
    });
  }

  async isReady(): Promise<boolean> {
    if (this.#isClosing) return false;
    const now = performance.now();
    if (now - this.#lastSuccessMs < READY_CACHE_MS) return true;
    if (this.#probe === undefined || now - this.#probe.startedMs >= READY_CACHE_MS) {
      this.#probe = { startedMs: now, result: this.#answers() };
    }
    return this.#probe.result;
  }

  stats(): { open: number; idle: number; waiting: number; limit: number } {
    return this.#connections.stats();
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#connections.close();
  }

  #find(name: string, values: readonly SqlValue[]): Statement {
    const statement = this.statements.get(name);
    if (statement === undefined) throw new Error(`No statement named ${name} in sql/queries`);
    if (statement.parameterCount !== values.length) {
      throw new Error(`${name} takes ${statement.parameterCount} values, got ${values.length}`);
    }
    return statement;
  }

  async #execute<Row>(client: pg.ClientBase, statement: Statement, values: readonly SqlValue[]): Promise<Row[]> {
    const rows = this.#usesNames
      ? await runPrepared<Row>(client, statement, values)
      : ((await client.query(statement.text, values as SqlValue[])).rows as Row[]);
    this.#lastSuccessMs = performance.now();
    return rows;
  }

  /** One connection, one piece of work, repeated where that is safe. Every error leaves in the caller's words. */
  async #guard<Result>(
    isRead: boolean,
    work: (client: pg.ClientBase) => Promise<Result>,
    isOfLane = false,
  ): Promise<Result> {
    if (this.#isClosing) throw new DatabaseUnavailableError(undefined, 'The database connections are being closed.');
    try {
      return await repeatWhereSafe(isRead, () =>
        this.#connections.use(work, isOfLane).catch((error) => this.#notice(error)),
      );
    } catch (error) {
      throw this.#translate(error);
    }
  }

  #notice(error: unknown): never {
    if (this.#usesNames && isStatementLost(error) && !isPlanStale(error)) {
      this.#usesNames = false;
      this.options.log.warn(
        {},
        'prepared statements got lost between calls and are off now: behind a bouncer in transaction mode set AUTH_DB_PREPARED_STATEMENTS=false, or use PgBouncer 1.21 or later',
      );
    }
    throw error;
  }

  #translate(error: unknown): unknown {
    if (error instanceof NotSentError) return new DatabaseUnavailableError(error.cause);
    if (isTimeout(error)) return new DatabaseUnavailableError(error, 'The database took too long to answer.');
    if (isConnectionFailure(error)) return new DatabaseUnavailableError(error);
    if (isSqlError(error)) {
      const { prefix } = this.options;
      if (error.constraint?.startsWith(prefix)) error.constraint = error.constraint.slice(prefix.length);
      if (error.table?.startsWith(prefix)) error.table = error.table.slice(prefix.length);
    }
    return error;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.#connections.use((client) =>
        client.query({ text: 'select 1', query_timeout: 1000 } as pg.QueryConfig),
      );
      this.#lastSuccessMs = performance.now();
      return true;
    } catch (error) {
      this.options.log.debug({ reason: reasonOf(error) }, 'the database does not answer');
      return false;
    }
  }
}
