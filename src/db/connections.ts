import pg from 'pg';
import {
  CONNECTION_LIMIT_QUERY,
  Connection,
  type ConnectionOptions,
  clientConfig,
  isStartupRefused,
} from './connection.js';
import { isConnectionFailure, isSessionChanged, isSqlError, isStatementLost, isTimeout } from './errors.js';
import { Gate } from './gate.js';
import { NotSentError } from './retry.js';
import type { DatabaseLog } from './types.js';

export interface ConnectionsOptions extends ConnectionOptions {
  /** 0: as many as the server permits (docs/decisions.md, Connection pool). */
  readonly maxConnections: number;
  /** Time limit for waiting in the queue and opening a connection, together. */
  readonly acquireTimeoutMs: number;
  readonly maxWaiting: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeSeconds: number;
  readonly log: DatabaseLog;
}

const SOFT_LIMIT = 8;
const FULL_SERVER_PAUSE_MS = 10_000;

/** The connections of one thread: opened on demand, used by one caller at a time, closed when idle or broken. */
export class Connections {
  readonly #gate: Gate;
  readonly #broken = new WeakSet<pg.ClientBase>();
  #pool: pg.Pool;
  #sendsTimeouts: boolean;
  #isLimitKnown: boolean;
  private readonly options: ConnectionsOptions;

  constructor(options: ConnectionsOptions) {
    this.options = options;
    this.#sendsTimeouts = options.sendsTimeouts;
    this.#isLimitKnown = options.maxConnections > 0;
    this.#gate = new Gate({
      softLimit: SOFT_LIMIT,
      hardLimit: options.maxConnections || SOFT_LIMIT,
      maxWaiting: options.maxWaiting,
    });
    this.#pool = this.#openPool();
  }

  /**
   * Runs `work` with a connection.
   * @param isBatch many callers wait for this work
   * @throws PoolExhaustedError when no connection became free in time, NotSentError when none could be opened, or what
   *   `work` threw
   */
  async use<Result>(work: (client: pg.PoolClient) => Promise<Result>, isBatch = false): Promise<Result> {
    // One deadline for the queue and for opening, so that a slow database cannot delay the answer twice (REL-06).
    const deadlineMs = performance.now() + this.options.acquireTimeoutMs;
    await this.#gate.acquire(this.options.acquireTimeoutMs, isBatch);
    try {
      const client = await this.#connect(deadlineMs);
      const startedMs = performance.now();
      try {
        return await work(client);
      } catch (error) {
        const isUnusable = isConnectionFailure(error) || isStatementLost(error) || isSessionChanged(error);
        if (isUnusable || this.#isEarlyTimeout(error, startedMs)) this.#broken.add(client);
        throw error;
      } finally {
        client.release(this.#broken.has(client));
      }
    } finally {
      this.#gate.release();
    }
  }

  /** A shorter limit than that of the connection was set in its session, and may be there for good. */
  #isEarlyTimeout(error: unknown, startedMs: number): boolean {
    return isTimeout(error) && performance.now() - startedMs < this.options.statementTimeoutMs * 0.9;
  }

  /** Closes this connection after its work instead of reusing it. */
  discard(client: pg.ClientBase): void {
    this.#broken.add(client);
  }

  stats(): { open: number; idle: number; waiting: number; limit: number } {
    const { totalCount: open, idleCount: idle } = this.#pool;
    return { open, idle, waiting: this.#gate.waiting, limit: this.#gate.hardLimit };
  }

  /** Finishes running and queued work, then closes every connection. */
  async close(): Promise<void> {
    await this.#gate.drain();
    await this.#pool.end();
  }

  #openPool(): pg.Pool {
    const { log, idleTimeoutMs, maxLifetimeSeconds } = this.options;
    const pool = new pg.Pool({
      ...clientConfig({ ...this.options, sendsTimeouts: this.#sendsTimeouts }),
      // The gate limits connections. pg-pool reads 0 as 10, so it gets a number that is never reached.
      max: Number.MAX_SAFE_INTEGER,
      idleTimeoutMillis: idleTimeoutMs,
      maxLifetimeSeconds,
      Client: Connection,
    });
    // Without a listener a lost connection ends the process. Idle ones emit on the pool, used ones on the client
    // (REL-02).
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
      if (!this.#isLimitKnown) await this.#readLimit(client);
      return client;
    } catch (error) {
      if (isStartupRefused(error) && this.#sendsTimeouts) {
        this.#stopSendingTimeouts();
        return this.#connect(deadlineMs);
      }
      if (isSqlError(error) && error.code === '53300') this.#reduceLimit();
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

  async #readLimit(client: pg.PoolClient): Promise<void> {
    this.#isLimitKnown = true;
    try {
      const { rows } = await client.query<{ grants: number }>(CONNECTION_LIMIT_QUERY);
      this.#gate.setHardLimit(rows[0]?.grants ?? SOFT_LIMIT);
    } catch (error) {
      this.#isLimitKnown = false;
      client.release(true);
      throw error;
    }
  }

  /** The server has no free slot: use the open connections, and try to open more later. */
  #reduceLimit(): void {
    const { log, maxConnections } = this.options;
    const open = this.#pool.totalCount;
    log.warn(
      { open },
      'the database server has no connection slot left: lower AUTH_DB_MAX_POOL_SIZE or raise max_connections',
    );
    this.#gate.setHardLimit(open);
    setTimeout(() => {
      if (maxConnections > 0) this.#gate.setHardLimit(maxConnections);
      else this.#isLimitKnown = false;
    }, FULL_SERVER_PAUSE_MS).unref();
  }

  #stopSendingTimeouts(): void {
    this.#sendsTimeouts = false;
    this.options.log.warn(
      {},
      'the connection pooler in front of the database rejects statement_timeout; set it once: alter role … set statement_timeout = 5000',
    );
    const old = this.#pool;
    this.#pool = this.#openPool();
    old.end().catch(() => undefined);
  }
}

/** A connection that opens after the deadline goes to the pool. */
async function withDeadline(connecting: Promise<pg.PoolClient>, deadlineMs: number): Promise<pg.PoolClient> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        connecting.then((client) => client.release()).catch(() => undefined);
        reject(new Error('timeout expired'));
      },
      Math.max(1, deadlineMs - performance.now()),
    );
  });
  try {
    return await Promise.race([connecting, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** The reason to log: SQLSTATE, socket code or pg's message. None of them contains a secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof NotSentError) return reasonOf(error.cause);
  const code = (error as { code?: string } | null)?.code;
  return code ?? (error instanceof Error ? error.message : String(error));
}
