import pg from 'pg';
import { Connection, type ConnectionOptions, clientConfig, GRANT_QUERY, isStartupRefused } from './connection.js';
import { isConnectionFailure, isSqlError, isStatementLost } from './errors.js';
import { Gate } from './gate.js';
import { NotSentError } from './retry.js';
import type { DatabaseLog } from './types.js';

export interface ConnectionsOptions extends ConnectionOptions {
  /** 0: as many as the server grants (decisions.md 18). */
  readonly maxConnections: number;
  /** Time for waiting in line and, again, for opening a connection. */
  readonly acquireTimeoutMs: number;
  readonly maxWaiting: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeSeconds: number;
  readonly log: DatabaseLog;
}

const COMFORTABLE_CONNECTIONS = 8;
const FULL_SERVER_PAUSE_MS = 10_000;

/** The connections of one thread: opened on demand, lent one at a time, closed when idle, thrown away when broken. */
export class Connections {
  readonly #gate: Gate;
  readonly #broken = new WeakSet<pg.ClientBase>();
  #pool: pg.Pool;
  #sendsTimeouts: boolean;
  #knowsGrant: boolean;

  constructor(private readonly options: ConnectionsOptions) {
    this.#sendsTimeouts = options.sendsTimeouts;
    this.#knowsGrant = options.maxConnections > 0;
    this.#gate = new Gate({
      comfortable: COMFORTABLE_CONNECTIONS,
      most: options.maxConnections || COMFORTABLE_CONNECTIONS,
      maxWaiting: options.maxWaiting,
    });
    this.#pool = this.#openPool();
  }

  /**
   * Lends a connection for the time of `work`.
   * @param isBatch many callers wait for this work
   * @throws PoolExhaustedError when none became free in time, NotSentError when none could be opened, or what `work` threw
   */
  async use<Result>(work: (client: pg.PoolClient) => Promise<Result>, isBatch = false): Promise<Result> {
    // One deadline for standing in line and for opening: a slow database bounds the whole answer (REL-06).
    const deadlineMs = performance.now() + this.options.acquireTimeoutMs;
    await this.#gate.enter(this.options.acquireTimeoutMs, isBatch);
    try {
      const client = await this.#connect(deadlineMs);
      try {
        return await work(client);
      } catch (error) {
        if (isConnectionFailure(error) || isStatementLost(error)) this.#broken.add(client);
        throw error;
      } finally {
        client.release(this.#broken.has(client));
      }
    } finally {
      this.#gate.leave();
    }
  }

  /** Has this connection thrown away once its work is over. */
  discard(client: pg.ClientBase): void {
    this.#broken.add(client);
  }

  stats(): { open: number; idle: number; waiting: number; limit: number } {
    const { totalCount: open, idleCount: idle } = this.#pool;
    return { open, idle, waiting: this.#gate.waiting, limit: this.#gate.most };
  }

  /** Lets the work in hand and in line finish, then closes every connection. */
  async close(): Promise<void> {
    await this.#gate.empty();
    await this.#pool.end();
  }

  #openPool(): pg.Pool {
    const { log, idleTimeoutMs, maxLifetimeSeconds } = this.options;
    const pool = new pg.Pool({
      ...clientConfig({ ...this.options, sendsTimeouts: this.#sendsTimeouts }),
      // The gate counts. pg-pool reads 0 as 10, so it gets a number it never reaches.
      max: Number.MAX_SAFE_INTEGER,
      idleTimeoutMillis: idleTimeoutMs,
      maxLifetimeSeconds,
      Client: Connection,
    });
    // A connection lost without a listener ends the process: idle ones tell the pool, lent ones themselves (REL-02).
    pool.on('error', (error) => {
      if (!pool.ending) log.warn({ reason: reasonOf(error) }, 'lost an idle database connection');
    });
    pool.on('connect', (client) => client.on('error', () => this.#broken.add(client)));
    pool.on('remove', () => this.#gate.shrinkTo(pool.totalCount));
    return pool;
  }

  async #connect(deadlineMs: number): Promise<pg.PoolClient> {
    try {
      const client = this.#pool.idleCount > 0 ? await this.#pool.connect() : await this.#open(deadlineMs);
      if (!this.#knowsGrant) await this.#learnGrant(client);
      return client;
    } catch (error) {
      if (isStartupRefused(error) && this.#sendsTimeouts) {
        this.#stopSendingTimeouts();
        return this.#connect(deadlineMs);
      }
      if (isSqlError(error) && error.code === '53300') this.#stepBack();
      throw new NotSentError(error, performance.now() < deadlineMs);
    }
  }

  async #open(deadlineMs: number): Promise<pg.PoolClient> {
    this.#gate.beginOpening();
    try {
      return await withDeadline(this.#pool.connect(), deadlineMs);
    } finally {
      this.#gate.endOpening();
    }
  }

  async #learnGrant(client: pg.PoolClient): Promise<void> {
    this.#knowsGrant = true;
    try {
      const { rows } = await client.query<{ grants: number }>(GRANT_QUERY);
      this.#gate.setMost(rows[0]?.grants ?? COMFORTABLE_CONNECTIONS);
    } catch (error) {
      this.#knowsGrant = false;
      client.release(true);
      throw error;
    }
  }

  /** The server has no slot left: live with what is open, and try for more in a while. */
  #stepBack(): void {
    const { log, maxConnections } = this.options;
    const open = this.#pool.totalCount;
    log.warn(
      { open },
      'the database server has no connection slot left: lower AUTH_DB_MAX_POOL_SIZE or raise max_connections',
    );
    this.#gate.setMost(open);
    setTimeout(() => {
      if (maxConnections > 0) this.#gate.setMost(maxConnections);
      else this.#knowsGrant = false;
    }, FULL_SERVER_PAUSE_MS).unref();
  }

  #stopSendingTimeouts(): void {
    this.#sendsTimeouts = false;
    this.options.log.warn(
      {},
      'the bouncer in front of the database refuses statement_timeout; set it once: alter role … set statement_timeout = 5000',
    );
    const old = this.#pool;
    this.#pool = this.#openPool();
    old.end().catch(() => undefined);
  }
}

/** A connection that arrives after its caller gave up goes to the pool, for the next one. */
async function withDeadline(connecting: Promise<pg.PoolClient>, deadlineMs: number): Promise<pg.PoolClient> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        connecting.then((client) => client.release()).catch(() => undefined);
        reject(new Error('timeout expired'));
      },
      Math.max(1, deadlineMs - performance.now()),
    );
  });
  try {
    return await Promise.race([connecting, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a log line may say of an error: SQLSTATE or socket code, or pg's own words; none of them holds a secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof NotSentError) return reasonOf(error.cause);
  const code = (error as { code?: string } | null)?.code;
  return code ?? (error instanceof Error ? error.message : String(error));
}
