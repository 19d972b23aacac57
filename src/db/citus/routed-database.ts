/**
 * A database of several nodes (https://docs.citusdata.com). What one session needs goes to the node that has it, without the
 * coordinator in between; everything else goes to the coordinator. Loaded only where AUTH_DB_CITUS is on.
 */
import { reasonOf } from '../connections.js';
import { DatabaseUnavailableError, isSqlError } from '../errors.js';
import { openDatabase } from '../pool.js';
import type { DatabaseOptions, DatabasePool } from '../pool-options.js';
import type { SqlValue } from '../types.js';
import { nameVersions, sessionRoutes, withOwnVersion } from './routes.js';
import { ShardMap, type ShardRow } from './shard-map.js';
import { citusStatements } from './statements.js';

/** How often the places of the shards are read. Every node answers for every session, so an outdated place costs time only. */
const READ_INTERVAL_MS = 10_000;
/** While a node has just failed, others are not made to wait for it. */
const AVOID_MS = 1000;

/** These look for what triggers have written, each second: what those of sessions have left on the nodes is moved before. */
const READERS_OF_LOG = new Set(['events.look', 'oauth-logouts.look']);

/** The node cannot be connected to, so nothing was sent (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const NO_CONNECTION = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH 57P03 53300 3D000 28000 28P01'.split(' '),
);

function wasNotSent(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailableError ? error.cause : isSqlError(error) ? error : undefined;
  return NO_CONNECTION.has((cause as { code?: string } | undefined)?.code ?? '');
}

interface Node {
  readonly database: DatabasePool;
  avoidUntilMs: number;
}

export interface CitusOptions extends DatabaseOptions {
  /** Default 10,000. */
  readonly readIntervalMs?: number;
}

/** Opens the coordinator, and each node when it is needed. */
export function openCitusDatabase(options: CitusOptions): DatabasePool {
  return new RoutedDatabase(options);
}

class RoutedDatabase implements DatabasePool {
  readonly #coordinator: DatabasePool;
  readonly #nodes = new Map<string, Node>();
  readonly #timer: NodeJS.Timeout;
  #map: ShardMap | undefined;
  #reading: Promise<void> | undefined;
  #wasUnknown = false;
  private readonly options: CitusOptions;

  constructor(options: CitusOptions) {
    this.options = options;
    this.#coordinator = openDatabase({ ...options, statements: citusStatements(options.prefix) });
    const interval = options.readIntervalMs ?? READ_INTERVAL_MS;
    this.#timer = setInterval(() => void this.#read(), interval).unref();
    void this.#read();
  }

  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]> {
    if (READERS_OF_LOG.has(name)) {
      return this.#coordinator.run('layout.move_session_log', []).then(() => this.#coordinator.run(name, values));
    }
    const route = sessionRoutes.get(name);
    const id = route && values[route.session];
    if (route === undefined || typeof id !== 'string') return this.#coordinator.run(name, values);
    const place = this.#map?.find(id).node;
    const node = place === undefined ? undefined : this.#node(place);
    if (place === undefined || node === undefined || performance.now() < node.avoidUntilMs) {
      return this.#runAt<Row>(this.#coordinator, '', name, values);
    }
    return this.#runAt<Row>(node.database, place, name, values).catch((error: unknown) => {
      // Nothing was sent: the node may have gone, and its shards with it.
      if (!wasNotSent(error)) throw error;
      this.#avoid(place, node, error);
      return this.#runAt<Row>(this.#coordinator, '', name, values);
    });
  }

  async #runAt<Row>(database: DatabasePool, place: string, name: string, values: readonly SqlValue[]): Promise<Row[]> {
    const rows = await database.run<Row>(name, withOwnVersion(values, sessionRoutes.get(name)!, place));
    nameVersions(rows, place);
    return rows;
  }

  #node(place: string): Node {
    let node = this.#nodes.get(place);
    if (node === undefined) {
      node = { database: openDatabase(this.#optionsOf(place)), avoidUntilMs: 0 };
      this.#nodes.set(place, node);
    }
    return node;
  }

  #optionsOf(place: string): DatabaseOptions {
    const url = new URL(this.options.url);
    url.host = place;
    return { ...this.options, url: url.href, statements: citusStatements(this.options.prefix) };
  }

  #avoid(place: string, node: Node, error: unknown): void {
    node.avoidUntilMs = performance.now() + AVOID_MS;
    this.options.log.warn(
      { place, reason: reasonOf(error) },
      'a node of the cluster cannot be reached; the coordinator is asked',
    );
    void this.#read();
  }

  /** Reads the places of the shards, one at a time. */
  #read(): Promise<void> {
    this.#reading ??= this.#readShards().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readShards(): Promise<void> {
    const { log } = this.options;
    try {
      const map = new ShardMap(await this.#coordinator.run<ShardRow>('layout.shards', []));
      if (map.text === this.#map?.text) return;
      this.#map = map;
      log.info({ nodes: [...map.nodes] }, 'what one session needs goes to the node that has it');
      for (const [place, node] of this.#nodes) {
        if (map.nodes.has(place)) continue;
        this.#nodes.delete(place);
        void node.database.close();
      }
    } catch (error) {
      if (this.#wasUnknown) return;
      this.#wasUnknown = true;
      log.warn(
        { reason: reasonOf(error) },
        'the shards of the sessions cannot be read; the coordinator is asked for everything',
      );
    }
  }

  allowFunctions(functions: Parameters<DatabasePool['allowFunctions']>[0]): void {
    this.#coordinator.allowFunctions(functions);
  }

  transaction: DatabasePool['transaction'] = (work, origin) => this.#coordinator.transaction(work, origin);

  isReady(): Promise<boolean> {
    return this.#coordinator.isReady();
  }

  /** Of the coordinator and all nodes. */
  stats(): { open: number; idle: number; waiting: number; limit: number } {
    const all = [this.#coordinator, ...[...this.#nodes.values()].map(({ database }) => database)];
    const sum = { open: 0, idle: 0, waiting: 0, limit: 0 };
    for (const { open, idle, waiting, limit } of all.map((database) => database.stats())) {
      sum.open += open;
      sum.idle += idle;
      sum.waiting += waiting;
      sum.limit += limit;
    }
    return sum;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([
      this.#coordinator.close(),
      ...[...this.#nodes.values()].map(({ database }) => database.close()),
    ]);
  }
}
