/**
 * Carries what nodes have written down beside their sessions to the coordinator: events, entries of the audit log, logouts of OAuth
 * clients (sql/citus/session-records.sql).
 */
import { reasonOf } from '../connections.js';

import type { DatabaseLog, Statements } from '../types.js';
import { shardKey } from './statements.js';

/** At most so many come with one statement (sql/citus/shard-queries/session-records.sql). */
const CARRIED_AT_ONCE = 200;

export interface SessionRecordsOptions {
  readonly coordinator: Statements;
  /** @returns the node that has a shard of the sessions and its records; undefined: none is known */
  readonly nodeOf: (shard: string) => Statements | undefined;
  readonly log: DatabaseLog;
}

export class SessionRecords {
  readonly #running = new Map<string, Promise<void>>();
  /** Shards that got records while theirs were being carried. */
  readonly #again = new Set<string>();
  private readonly options: SessionRecordsOptions;

  constructor(options: SessionRecordsOptions) {
    this.options = options;
  }

  /** Carries what a shard has, soon: what comes meanwhile is carried together. What fails stays there, for any server. */
  carry(shard: string): void {
    if (this.#running.has(shard)) {
      this.#again.add(shard);
      return;
    }
    const run = this.#carryShard(shard)
      .catch((error: unknown) => {
        this.options.log.debug({ shard, reason: reasonOf(error) }, 'what a node has written down is carried later');
      })
      .then(() => {
        this.#running.delete(shard);
        if (this.#again.delete(shard)) this.carry(shard);
      });
    this.#running.set(shard, run);
  }

  async #carryShard(shard: string): Promise<void> {
    for (let isMore = true; isMore; ) {
      const node = this.options.nodeOf(shard);
      if (node === undefined) return;
      const [row] = await node.run<{ records: readonly { readonly id: string }[] | null }>(
        shardKey('session-records.waiting', shard),
        [],
      );
      const records = row!.records ?? [];
      if (records.length === 0) return;
      await this.options.coordinator.run('session-records.take', [JSON.stringify(records)]);
      await node.run(shardKey('session-records.remove', shard), [records.map(({ id }) => id)]);
      isMore = records.length === CARRIED_AT_ONCE;
    }
  }

  /** Waits for what is being carried. */
  async close(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}
