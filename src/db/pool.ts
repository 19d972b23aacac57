import type pg from 'pg';
import { Batcher } from '../batching/batcher.js';
import { ApplicationError, locateError } from './application-error.js';
import { type BatchedRow, distribute, transpose } from './batches.js';
import { Connections, reasonOf } from './connections.js';
import { DatabaseUnavailableError, isPlanStale, isSqlError, isStatementLost, PoolExhaustedError } from './errors.js';
import { addFunctions, type FunctionName } from './functions.js';
import { type ChangeOrigin, currentOrigin, setOrigin } from './origin.js';
import type { DatabaseOptions, DatabasePool } from './pool-options.js';
import { runPrepared } from './prepared-query.js';
import { retryWhereSafe, translateError, translateWithin } from './retry.js';
import { loadStatements, ownStatements, type Statement } from './statements.js';
import type { SqlValue, Statements } from './types.js';

export type { DatabaseOptions, DatabasePool } from './pool-options.js';

const READY_CACHE_MS = 1000;
/** REL-05 requires a rejection within 2 s, and writing a hundred of them takes some time. */
const ACQUIRE_TIMEOUT_SECONDS = 1.8;
/** Two connections that each take the whole queue are faster than eight that take one job each. */
const BATCH_CONNECTIONS = 2;
/**
 * How long a batch that is not full waits for the first connection before it takes the second one, which is for slow
 * databases and statements that hang. With 1 ms batches are smaller and throughput is 3 % lower; 5 ms changes nothing.
 */
const BATCH_LINGER_MS = 3;
const MAX_BATCH_SIZE = 32;
const MAX_WAITING = 512;

/**
 * Opens the database. The first statement connects.
 * @throws Error when a file of sql/queries cannot be parsed, or the prefix is not a plain name (SEC-75)
 */
export function openDatabase(options: DatabaseOptions): DatabasePool {
  const { queriesDirectory: directory, prefix, statements: given } = options;
  const statements = new Map(
    given ?? (directory === undefined ? ownStatements(prefix) : loadStatements(directory, prefix)),
  );
  addFunctions(statements, options.functions ?? []);
  return new PooledDatabase(options, statements);
}

class PooledDatabase implements DatabasePool {
  readonly #connections: Connections;
  #usesNames: boolean;
  #lastSuccessMs = Number.NEGATIVE_INFINITY;
  #probe: { readonly startedMs: number; readonly result: Promise<boolean> } | undefined;
  #isClosing = false;
  /** Batchers by name of the single statement. */
  readonly #batches = new Map<string, Batcher<readonly SqlValue[], BatchedRow[]>>();
  private readonly options: DatabaseOptions;
  private readonly statements: Map<string, Statement>;

  constructor(options: DatabaseOptions, statements: Map<string, Statement>) {
    this.options = options;
    this.statements = statements;
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
      concurrency: BATCH_CONNECTIONS,
      lingerMs: BATCH_LINGER_MS,
      waitsForPoll: true,
      maxJobs: MAX_BATCH_SIZE,
      // While the database cannot be reached, a retry for each job would only make all of them wait longer.
      shouldRetrySingly: isSqlError,
      // The same as for a connection, so that a slow database cannot delay the answer twice (REL-06).
      maxWaitMs: (this.options.acquireTimeoutSeconds ?? ACQUIRE_TIMEOUT_SECONDS) * 1000,
      maxWaiting: this.options.maxWaiting ?? MAX_WAITING,
      makeFullError: () => new PoolExhaustedError(1),
      send: async (jobs) => {
        const runSingly = (job: readonly SqlValue[], isBatch: boolean) =>
          this.#runSingle<BatchedRow>(this.#find(single, job), job, isBatch);
        // A redone statement may wait for a lock. It must not occupy a batch connection that the lock's holder may
        // need, so it runs outside of them, and a batch of one is still sent as a batch.
        if (jobs.length === 1 && !batch.redoesMissing) return [await runSingly(jobs[0]!, true)];
        const answers = distribute(await this.#runSingle<BatchedRow>(batch, transpose(jobs), true), jobs.length);
        if (!batch.redoesMissing) return answers;
        return answers.map((rows, index) => (rows.length === 0 ? runSingly(jobs[index]!, false) : rows));
      },
    });
  }

  allowFunctions(functions: readonly FunctionName[]): void {
    addFunctions(this.statements, functions);
  }

  /** Not async: wrapping the promise would take three more microtasks for every caller of a batch. */
  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]> {
    let statement: Statement;
    try {
      statement = this.#find(name, values);
    } catch (error) {
      return Promise.reject(error);
    }
    const batches = this.#batches.get(name);
    return batches === undefined ? this.#runSingle(statement, values) : (batches.add(values) as Promise<Row[]>);
  }

  async #runSingle<Row>(statement: Statement, values: readonly SqlValue[], isBatch = false): Promise<Row[]> {
    const origin = statement.isRead || isBatch ? null : currentOrigin();
    if (origin !== null && !this.#usesNames) {
      return this.transaction((transaction) => transaction.run<Row>(statement.key, values));
    }
    return this.#withConnection(
      statement.isRead,
      (client) => this.#execute<Row>(client, statement, values, origin),
      isBatch,
    );
  }

  async transaction<Result>(work: (statements: Statements) => Promise<Result>, given?: ChangeOrigin): Promise<Result> {
    return this.#withConnection(false, async (client) => {
      const origin = given === undefined ? currentOrigin() : JSON.stringify(given);
      await client.query(origin === null ? 'begin' : `begin; ${setOrigin(client.escapeLiteral(origin))}`);
      let result: Result;
      try {
        result = await work({
          run: async (name, values) =>
            this.#execute<never>(client, this.#find(name, values), values).catch((error: unknown) => {
              throw translateWithin(error, this.options.prefix);
            }),
        });
      } catch (error) {
        // If the rollback fails the connection is closed, and Postgres rolls back.
        await client.query('rollback').catch(() => this.#connections.discard(client));
        throw error;
      }
      const { command } = await client.query('commit');
      // Postgres answers COMMIT of a failed transaction with ROLLBACK and no error, e.g. when `work` caught one.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement in it had failed.');
      return result;
    });
  }

  async isReady(): Promise<boolean> {
    if (this.#isClosing) return false;
    const now = performance.now();
    if (now - this.#lastSuccessMs < READY_CACHE_MS) return true;
    if (this.#probe === undefined || now - this.#probe.startedMs >= READY_CACHE_MS) {
      this.#probe = { startedMs: now, result: this.#ping() };
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

  async #execute<Row>(
    client: pg.ClientBase,
    statement: Statement,
    values: readonly SqlValue[],
    origin: string | null = null,
  ): Promise<Row[]> {
    const rows = this.#usesNames
      ? await runPrepared<Row>(client, statement, values, origin)
      : ((await client.query(statement.text, values as SqlValue[])).rows as Row[]);
    this.#lastSuccessMs = performance.now();
    return rows;
  }

  /** Runs work on one connection, with retries where those are safe, and translates its errors. */
  async #withConnection<Result>(
    isRead: boolean,
    work: (client: pg.ClientBase) => Promise<Result>,
    isBatch = false,
  ): Promise<Result> {
    if (this.#isClosing) {
      throw new DatabaseUnavailableError(undefined, 'The database connections are being closed.', false);
    }
    try {
      return await retryWhereSafe(isRead, () =>
        this.#connections.use(work, isBatch).catch((error) => this.#detectLostStatement(error)),
      );
    } catch (error) {
      const translated = translateError(error, this.options.prefix);
      const mayBeOfApplication = translated instanceof ApplicationError || (!isRead && isSqlError(translated));
      if (!mayBeOfApplication) throw translated;
      throw await locateError(translated, (name, values) => this.run(name, values)).catch(() => translated);
    }
  }

  #detectLostStatement(error: unknown): never {
    if (this.#usesNames && isStatementLost(error) && !isPlanStale(error)) {
      this.#usesNames = false;
      this.options.log.warn(
        {},
        'prepared statements got lost between calls and are disabled now: behind a connection pooler in transaction mode set AUTH_DB_PREPARED_STATEMENTS=false, or use PgBouncer 1.21 or later',
      );
    }
    throw error;
  }

  async #ping(): Promise<boolean> {
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
