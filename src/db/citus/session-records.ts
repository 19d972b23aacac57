/**
 * Carries what nodes have written down beside their sessions to the coordinator: events, entries of the audit log, logouts of OAuth
 * clients (sql/citus/session-records.sql).
 */
import { reasonOf } from '../connections.js';
import { DatabaseUnavailableError } from '../errors.js';

import type { DatabaseLog, Statements } from '../types.js';
import { shardKey } from './statements.js';

/** At most so many come with one statement (sql/citus/shard-queries/session-records.sql). */
const CARRIED_AT_ONCE = 200;

/** A row of session_records; the coordinator alone looks into it. */
interface SessionRecord {
  readonly id: string;
}

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
  readonly #reported = new Set<string>();
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
      const [row] = await node.run<{ records: readonly SessionRecord[] | null }>(
        shardKey('session-records.waiting', shard),
        [],
      );
      const records = row!.records ?? [];
      if (records.length === 0) return;
      const taken = await this.#take(records);
      await node.run(shardKey('session-records.remove', shard), [taken.map(({ id }) => id)]);
      isMore = taken.length > 0 && records.length === CARRIED_AT_ONCE;
    }
  }

  /** One that the coordinator refuses does not hold up the others. @returns those that it has taken */
  async #take(records: readonly SessionRecord[]): Promise<readonly SessionRecord[]> {
    const run = (some: readonly SessionRecord[]) =>
      this.options.coordinator.run('session-records.take', [JSON.stringify(some)]);
    try {
      await run(records);
      return records;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
    }
    const taken: SessionRecord[] = [];
    for (const record of records) {
      try {
        await run([record]);
        taken.push(record);
      } catch (error) {
        if (error instanceof DatabaseUnavailableError) throw error;
        this.#report(record, error);
      }
    }
    return taken;
  }

  #report({ id }: SessionRecord, error: unknown): void {
    if (this.#reported.has(id)) return;
    this.#reported.add(id);
    this.options.log.warn(
      { record: id, reason: reasonOf(error) },
      'the event of a log-out cannot be written; it stays on its node, and is tried again',
    );
  }

  /** Waits for what is being carried. */
  async close(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}
