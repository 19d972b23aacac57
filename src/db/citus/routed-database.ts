/**
 * A database of several nodes (https://docs.citusdata.com). What one session needs goes to the node that has it, to the tables of its
 * shard, in batches of that shard; everything else goes to the coordinator. Loaded only where AUTH_DB_CITUS is on.
 */
import { reasonOf } from '../connections.js';
import type { DatabaseOptions, DatabasePool } from '../pool-options.js';
import type { SqlValue } from '../types.js';
import { ClusterNodes } from './cluster-nodes.js';
import { Coordinator } from './coordinator.js';
import { hadNoAnswer, isAway, isNotHere, isWrongLayout } from './node-errors.js';
import { nameVersions, type SessionRoute, sessionRoutes, withOwnVersion } from './routes.js';
import { SessionRecords } from './session-records.js';
import { type CopyRow, ShardMap, type ShardRow } from './shard-map.js';
import { shardKey, shardStatements } from './statements.js';

/** How often the places of the shards are read. One that has moved says so, so an outdated place costs time only. */
const READ_INTERVAL_MS = 10_000;
/** How often the times of sign-ins are written to the copies of the accounts; before there are any, how often they are looked for. */
const UPKEEP_INTERVAL_MS = 1000;

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
  readonly #nodes: ClusterNodes;
  readonly #records: SessionRecords;
  readonly #timers: readonly NodeJS.Timeout[];
  #map: ShardMap | undefined;
  #reading: Promise<void> | undefined;
  #isUnknown = false;
  private readonly options: CitusOptions;

  constructor(options: CitusOptions) {
    this.options = options;
    this.#coordinator = new Coordinator(options);
    this.#nodes = new ClusterNodes(options, this.#coordinator);
    this.#records = new SessionRecords({
      coordinator: this.#coordinator,
      nodeOf: (id) => {
        const shard = this.#map?.shards.find((shard) => shard.id === id);
        return shard && this.#nodes.at(shard.node).database;
      },
      log: options.log,
    });
    this.#timers = [
      setInterval(() => void this.#readAndCarry(), options.readIntervalMs ?? READ_INTERVAL_MS).unref(),
      setInterval(() => void this.#keepUp(), UPKEEP_INTERVAL_MS).unref(),
    ];
    void this.#readAndCarry();
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
    const isForShard = shard !== undefined && !(route.leavesRecord && shard.records === undefined);
    const node = isForShard ? this.#nodes.at(shard.node) : undefined;
    if (node === undefined || (performance.now() < node.avoidUntilMs && !node.isSilent)) {
      return this.#runAtCoordinator(name, route, values);
    }
    const { id: shardId, node: place } = shard!;
    return node.database.run<Row>(shardKey(name, shardId), withOwnVersion(values, route, place)).then(
      (rows) => {
        if (!route.leavesRecord) return nameVersions(rows, place);
        if (rows.length === 0) return this.#runAtCoordinator<Row>(name, route, values);
        this.#records.carry(shardId);
        return rows;
      },
      (error: unknown) => {
        // The node may have gone, or the shard to another node.
        if (isAway(error)) this.#nodes.avoid(place, node, error.cause);
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

  /** What servers that are gone have left on the nodes is carried, too. */
  async #readAndCarry(): Promise<void> {
    await this.#read();
    for (const { id, records } of this.#map?.shards ?? []) {
      if (records !== undefined) this.#records.carry(id);
    }
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
      const statements = new Map(
        map.shards.flatMap(({ id, records }) => [
          ...shardStatements(prefix, { shard: id, records, copies: map.copies }),
        ]),
      );
      const hasSameShards = map.names === this.#map?.names;
      this.#map = map;
      this.#nodes.renew(statements, (place) => hasSameShards && map.nodes.has(place));
      log.info({ nodes: [...map.nodes] }, 'what one session needs goes to the node that has it');
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
    const all = [this.#coordinator, ...this.#nodes.databases()];
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
    await this.#records.close();
    await Promise.all([this.#coordinator, ...this.#nodes.databases()].map((database) => database.close()));
  }
}
