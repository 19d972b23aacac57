/** The coordinator of a cluster, also before the database is distributed. */
import { DatabaseUnavailableError } from '../errors.js';
import { openDatabase } from '../pool.js';
import type { DatabaseOptions, DatabasePool } from '../pool-options.js';
import type { SqlValue } from '../types.js';
import { joinsCopies } from './routes.js';
import { coordinatorStatements } from './statements.js';

/**
 * `single`: nothing was done. `prepared`: the coordinator has what statements use in the place of the sessions, but they are on it, and
 * Citus does not join copies to them. `distributed`: they have shards, or one that is being split.
 */
type Layout = 'single' | 'prepared' | 'distributed';

/**
 * Runs the statements of a single server until `latchkey migrate --distribute` has prepared the database for those of a coordinator:
 * servers are started with AUTH_DB_CITUS before, since those without it do not work afterwards.
 */
export class Coordinator implements DatabasePool {
  readonly #cluster: DatabasePool;
  /** Absent from the time on when the database was found distributed. */
  #single: DatabasePool | undefined;
  /** Undefined until the database has answered. */
  #layout: Layout | undefined;
  private readonly options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.options = options;
    this.#cluster = openDatabase({ ...options, statements: coordinatorStatements(options.prefix) });
    this.#single = openDatabase(options);
  }

  /** Asks the database until it is. @throws like run() */
  async isDistributed(): Promise<boolean> {
    if (this.#layout === 'distributed') return true;
    const [row] = await this.#cluster.run<{ layout: Layout }>('layout.layout', []);
    const { layout } = row!;
    if (this.#layout === undefined && layout !== 'distributed') {
      this.options.log.warn({}, 'the database is not distributed yet: it is used as that of a single server');
    }
    this.#layout = layout;
    if (layout !== 'distributed') return false;
    void this.#single?.close();
    this.#single = undefined;
    return true;
  }

  #databaseFor(name: string): DatabasePool {
    if (this.#single === undefined) return this.#cluster;
    return this.#layout === 'prepared' && !joinsCopies.has(name) ? this.#cluster : this.#single;
  }

  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#single === undefined ? this.#cluster.run(name, values) : this.#runBefore(name, values);
  }

  async #runBefore<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#useBefore(name, (database) => database.run(name, values));
  }

  transaction: DatabasePool['transaction'] = async (work, origin) =>
    this.#useBefore('', (database) => database.transaction(work, origin));

  async #useBefore<Result>(name: string, use: (database: DatabasePool) => Promise<Result>): Promise<Result> {
    if (this.#layout === undefined) await this.isDistributed();
    const database = this.#databaseFor(name);
    try {
      return await use(database);
    } catch (error) {
      // It waited for one of the connections that were closed when the database was found distributed.
      const isClosed = database !== this.#cluster && this.#single === undefined;
      if (!isClosed || !(error instanceof DatabaseUnavailableError) || error.wasSent) throw error;
      return use(this.#cluster);
    }
  }

  allowFunctions(functions: Parameters<DatabasePool['allowFunctions']>[0]): void {
    this.#cluster.allowFunctions(functions);
    this.#single?.allowFunctions(functions);
  }

  isReady(): Promise<boolean> {
    return (this.#single ?? this.#cluster).isReady();
  }

  stats(): ReturnType<DatabasePool['stats']> {
    return (this.#single ?? this.#cluster).stats();
  }

  async close(): Promise<void> {
    await Promise.all([this.#cluster.close(), this.#single?.close()]);
  }
}
