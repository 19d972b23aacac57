/** Which node of a Citus cluster has which sessions. */
import { COPIED, copyOf } from './copies.js';
import { hashUuid } from './hash-uuid.js';

/** A row of the statement `layout.shards`. */
export interface ShardRow {
  readonly shard: string | number;
  /** Beside it, of what its node has written down for the coordinator; null: the database was not distributed by this release. */
  readonly records: string | number | null;
  /** Of the hashes of the shard: both are in it. */
  readonly lowest: number;
  readonly highest: number;
  readonly host: string;
  readonly port: number;
}

/** A row of the statement `layout.copies`: the only shard of the copy of a table. */
export interface CopyRow {
  /** Its name, with the prefix. */
  readonly copy: string;
  readonly shard: string | number;
}

/** Where a session is. */
export interface Shard {
  /** Id of the shard, as Citus numbers them. */
  readonly id: string;
  /** Of session_records. */
  readonly records: string | undefined;
  /** `host:port` */
  readonly node: string;
}

export class ShardMap {
  readonly #lowest: number[];
  /** All nodes that have shards. */
  readonly nodes: ReadonlySet<string>;
  /** Of the sessions. */
  readonly shards: readonly Shard[];
  /** Shard of each copy, by the table that it is a copy of. */
  readonly copies: Readonly<Record<string, string>>;
  /** The same for two maps of the same shards, wherever they are. */
  readonly names: string;
  /** The same for two maps of the same content. */
  readonly text: string;

  /** @throws Error when the ranges leave a hash out or have one twice, or a copy is missing */
  constructor(rows: readonly ShardRow[], copies: readonly CopyRow[]) {
    const sorted = [...rows].sort((a, b) => a.lowest - b.lowest);
    for (const [i, { lowest, highest }] of sorted.entries()) {
      const next = sorted[i + 1]?.lowest ?? 2 ** 31;
      if (highest + 1 !== next || (i === 0 && lowest !== -(2 ** 31))) {
        throw new Error('The shards of the sessions do not cover all hashes once.');
      }
    }
    this.#lowest = sorted.map(({ lowest }) => lowest);
    this.shards = sorted.map(({ shard, records, host, port }) => ({
      id: String(shard),
      records: records === null ? undefined : String(records),
      node: `${host}:${port}`,
    }));
    if (sorted.length === 0) throw new Error('The sessions have no shards.');
    this.nodes = new Set(this.shards.map(({ node }) => node));
    this.copies = Object.fromEntries(
      Object.keys(COPIED).map((table) => {
        const found = copies.find(({ copy }) => copy.endsWith(copyOf(table)));
        if (found === undefined) throw new Error(`The nodes have no copy of ${table}.`);
        return [table, String(found.shard)];
      }),
    );
    const ids = this.shards.map(({ id, records }) => [id, records]);
    this.names = JSON.stringify([this.#lowest, ids, Object.keys(COPIED).map((table) => this.copies[table])]);
    this.text = JSON.stringify([this.names, this.shards]);
  }

  /** @param sessionId a uuid as 36 characters */
  find(sessionId: string): Shard {
    const hash = hashUuid(sessionId);
    let [low, high] = [0, this.#lowest.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lowest[middle]! <= hash) low = middle;
      else high = middle - 1;
    }
    return this.shards[low]!;
  }
}
