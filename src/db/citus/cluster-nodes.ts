/** The nodes of a cluster that have sessions: connections to each, and which of them has just failed. */
import { reasonOf } from '../connections.js';
import { openDatabase } from '../pool.js';
import type { DatabaseOptions, DatabasePool } from '../pool-options.js';
import type { Statement } from '../statements.js';
import type { Statements } from '../types.js';
import { hadNoAnswer } from './node-errors.js';

/** While a node has just failed, others are not made to wait for it. */
const AVOID_MS = 1000;
/** Longer than until the next attempt. */
const NEW_SESSIONS_AVOID_SECONDS = 10;

export interface ClusterNode {
  readonly database: DatabasePool;
  avoidUntilMs: number;
  /** Attempts to connect are not even refused, so each request for its sessions waits until a time limit. */
  isSilent: boolean;
}

/** Opens a node when it is needed. */
export class ClusterNodes {
  readonly #nodes = new Map<string, ClusterNode>();
  /** Of all shards: any node may get any of them. */
  #statements: ReadonlyMap<string, Statement> = new Map();
  private readonly options: DatabaseOptions;
  private readonly coordinator: Statements;

  constructor(options: DatabaseOptions, coordinator: Statements) {
    this.options = options;
    this.coordinator = coordinator;
  }

  /** @param place `host:port` */
  at(place: string): ClusterNode {
    let node = this.#nodes.get(place);
    if (node === undefined) {
      const url = new URL(withSettings(this.options.url, { 'citus.enable_manual_changes_to_shards': 'on' }));
      url.host = place;
      const database = openDatabase({ ...this.options, url: url.href, statements: this.#statements });
      node = { database, avoidUntilMs: 0, isSilent: false };
      this.#nodes.set(place, node);
    }
    return node;
  }

  /** Uses these statements from now on, and closes nodes. @param stays whether a node that is open does not need others */
  renew(statements: ReadonlyMap<string, Statement>, stays: (place: string) => boolean): void {
    this.#statements = statements;
    for (const [place, node] of this.#nodes) {
      if (stays(place)) continue;
      this.#nodes.delete(place);
      void node.database.close();
    }
  }

  /** New sessions begin on other nodes meanwhile, and the coordinator is asked. @param error the reason */
  avoid(place: string, node: ClusterNode, error: unknown): void {
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
    const [host, port] = splitPlace(place);
    this.coordinator.run('layout.avoid_node', [host, port, NEW_SESSIONS_AVOID_SECONDS]).catch(() => undefined);
  }

  /** Those that are open. */
  databases(): DatabasePool[] {
    return [...this.#nodes.values()].map(({ database }) => database);
  }
}

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
