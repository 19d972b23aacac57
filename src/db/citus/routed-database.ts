/**
 * A database of several nodes (https://docs.citusdata.com). What one session needs goes to the node that has it, to the tables of its
 * shard, in batches of that shard; everything else goes to the coordinator. Loaded only where AUTH_DB_CITUS is on.
 */
import { reasonOf } from '../connections.js';
import { openDatabase } from '../pool.js';
import type { DatabaseOptions, DatabasePool } from '../pool-options.js';
import type { Statement } from '../statements.js';
import type { SqlValue } from '../types.js';
import { Coordinator } from './coordinator.js';
import { hadNoAnswer, isAway, isNotHere, isWrongLayout } from './node-errors.js';
import { nameVersions, type SessionRoute, sessionRoutes, withOwnVersion } from './routes.js';
import { type CopyRow, ShardMap, type ShardRow } from './shard-map.js';
import { shardKey, shardStatements } from './statements.js';

/** How often the places of the shards are read. One that has moved says so, so an outdated place costs time only. */
const READ_INTERVAL_MS = 10_000;
/** How often the times of sign-ins are written to the copies of the accounts; before there are any, how often they are looked for. */
const UPKEEP_INTERVAL_MS = 1000;
/** While a node has just failed, others are not made to wait for it. */
const AVOID_MS = 1000;
/** Longer than until the next attempt. */
const NEW_SESSIONS_AVOID_SECONDS = 10;

/** @param settings of the server, for each connection */
function withSettings(address: string, settings: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  const given = url.searchParams.get('options');
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [...(given === null ? [] : [given]), ...own].join(' '));
  return url.href;
}

function splitPlace(place: string): [host: string, port: number] {
  const at = place.lastIndexOf(':');
  return [place.slice(0, at), Number(place.slice(at + 1))];
}

interface Node {
  readonly database: DatabasePool;
  avoidUntilMs: number;
  /** Attempts to connect are not even refused, so each request for its sessions waits until a time limit. */
  isSilent: boolean;
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
  readonly #coordinator: Coordinator;
  readonly #nodes = new Map<string, Node>();
  readonly #timers: readonly NodeJS.Timeout[];
  #map: ShardMap | undefined;
  /** Of all shards: any node may get any of them. */
  #shardStatements: ReadonlyMap<string, Statement> = new Map();
  #reading: Promise<void> | undefined;
  #isUnknown = false;
  private readonly options: CitusOptions;

  constructor(options: CitusOptions) {
    this.options = options;
    this.#coordinator = new Coordinator(options);
    this.#timers = [
      setInterval(() => void this.#read(), options.readIntervalMs ?? READ_INTERVAL_MS).unref(),
      setInterval(() => void this.#keepUp(), UPKEEP_INTERVAL_MS).unref(),
    ];
    void this.#read();
  }

  run<Row>(name: string, values: readonly SqlValue[]): Promise<Row[]> {
    const route = sessionRoutes.get(name);
    if (route === undefined) return this.#coordinator.run(name, values);
    const tags = route.tags?.(values);
    return tags === undefined ? this.#runRouted(name, route, values) : this.#runWithTags(name, route, values, tags);
  }

  /** Other sessions of the account may be on any node. */
  async #runWithTags<Row>(
    name: string,
    route: SessionRoute,
    values: readonly SqlValue[],
    tags: readonly SqlValue[],
  ): Promise<Row[]> {
    if (!(await this.#coordinator.isDistributed())) return this.#coordinator.run(name, values);
    const superseded = await this.#coordinator.run('layout.superseded', [values[route.session]!, ...tags]);
    if (superseded.length === 0) return this.#runRouted(name, route, values);
    if (route.superseded === undefined) return [];
    const rows = await this.#runRouted<Row>(name, route, values);
    return rows.map((row) => ({ ...row, [route.superseded!]: true }));
  }

  #runRouted<Row>(name: string, route: SessionRoute, values: readonly SqlValue[]): Promise<Row[]> {
    const id = values[route.session];
    if (this.#map === undefined) return this.#runBefore(name, route, values);
    const shard = typeof id === 'string' ? this.#map.find(id) : undefined;
    const node = shard && this.#node(shard.node);
    if (node === undefined || (performance.now() < node.avoidUntilMs && !node.isSilent)) {
      return this.#runAtCoordinator(name, route, values);
    }
    const { id: shardId, node: place } = shard!;
    return node.database.run<Row>(shardKey(name, shardId), withOwnVersion(values, route, place)).then(
      (rows) => nameVersions(rows, place),
      (error: unknown) => {
        // The node may have gone, or the shard to another node.
        if (isAway(error)) this.#avoid(place, node, error.cause);
        else if (!isNotHere(error)) throw error;
        void this.#read();
        // The coordinator would wait, too, with a connection that others need.
        if (isAway(error) && hadNoAnswer(error.cause)) throw error;
        return this.#runAtCoordinator<Row>(name, route, values);
      },
    );
  }

  /** The sessions may be distributed just now, which takes its time. */
  async #runBefore<Row>(name: string, route: SessionRoute, values: readonly SqlValue[]): Promise<Row[]> {
    try {
      return await this.#runAtCoordinator<Row>(name, route, values);
    } catch (error) {
      if (!isWrongLayout(error)) throw error;
      await this.#read();
      if (this.#map === undefined) throw error;
      return this.#runRouted(name, route, values);
    }
  }

  async #runAtCoordinator<Row>(name: string, route: SessionRoute, values: readonly SqlValue[]): Promise<Row[]> {
    return nameVersions(await this.#coordinator.run<Row>(name, withOwnVersion(values, route, '')), '');
  }

  #node(place: string): Node {
    let node = this.#nodes.get(place);
    if (node === undefined) {
      const url = new URL(withSettings(this.options.url, { 'citus.enable_manual_changes_to_shards': 'on' }));
      url.host = place;
      const database = openDatabase({ ...this.options, url: url.href, statements: this.#shardStatements });
      node = { database, avoidUntilMs: 0, isSilent: false };
      this.#nodes.set(place, node);
    }
    return node;
  }

  #avoid(place: string, node: Node, error: unknown): void {
    // Some requests fail together; a pool that closes is that of a node which is no longer one.
    if (performance.now() < node.avoidUntilMs || this.#nodes.get(place) !== node) return;
    node.avoidUntilMs = performance.now() + AVOID_MS;
    node.isSilent = hadNoAnswer(error);
    this.options.log.warn(
      { place, reason: reasonOf(error) },
      node.isSilent
        ? 'a node of the cluster does not answer; its sessions have to wait'
        : 'a node of the cluster cannot be reached; the coordinator is asked',
    );
    // New sessions begin on other nodes meanwhile.
    const [host, port] = splitPlace(place);
    this.#coordinator.run('layout.avoid_node', [host, port, NEW_SESSIONS_AVOID_SECONDS]).catch(() => undefined);
  }

  /** Reads the places of the shards, one at a time. */
  #read(): Promise<void> {
    this.#reading ??= this.#readShards().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readShards(): Promise<void> {
    const { log, prefix } = this.options;
    try {
      if (!(await this.#coordinator.isDistributed())) return;
      const [shards, copies] = await Promise.all([
        this.#coordinator.run<ShardRow>('layout.shards', []),
        this.#coordinator.run<CopyRow>('layout.copies', []),
      ]);
      const map = new ShardMap(shards, copies);
      this.#isUnknown = false;
      if (map.text === this.#map?.text) return;
      this.#shardStatements = new Map(
        map.shards.flatMap((shard) => [...shardStatements(prefix, { shard, copies: map.copies })]),
      );
      const hasSameShards = map.names === this.#map?.names;
      this.#map = map;
      log.info({ nodes: [...map.nodes] }, 'what one session needs goes to the node that has it');
      for (const [place, node] of this.#nodes) {
        if (hasSameShards && map.nodes.has(place)) continue;
        this.#nodes.delete(place);
        void node.database.close();
      }
    } catch (error) {
      if (this.#isUnknown) return;
      this.#isUnknown = true;
      log.warn(
        { reason: reasonOf(error) },
        'the shards of the sessions cannot be read; the coordinator is asked for everything',
      );
    }
  }

  async #keepUp(): Promise<void> {
    // Not distributed yet, or the coordinator has not answered yet.
    if (this.#map === undefined) return this.#read();
    await this.#coordinator.run('layout.copy_sign_ins', []).catch((error: unknown) => {
      this.options.log.debug({ reason: reasonOf(error) }, 'sign-ins could not be copied to the nodes yet');
    });
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
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([
      this.#coordinator.close(),
      ...[...this.#nodes.values()].map(({ database }) => database.close()),
    ]);
  }
}
