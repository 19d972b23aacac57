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
/** One that the coordinator has refused is not tried with each log-out. */
const REFUSED_MS = 60_000;
const BEFORE_ALL: SessionRecord = {
  session_id: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
};

/** A row of session_records; the coordinator alone looks into the rest. */
interface SessionRecord {
  readonly session_id: string;
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
  /** Ids, and when they are tried again. */
  readonly #refused = new Map<string, number>();
  #isClosing = false;
  private readonly options: SessionRecordsOptions;

  constructor(options: SessionRecordsOptions) {
    this.options = options;
  }

  /** Carries what a shard has, soon: what comes meanwhile is carried together. What fails stays there, for any server. */
  carry(shard: string): void {
    if (this.#isClosing) return;
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
    let last = BEFORE_ALL;
    for (let isMore = true; isMore && !this.#isClosing; ) {
      const node = this.options.nodeOf(shard);
      if (node === undefined) return;
      const [row] = await node.run<{ records: readonly SessionRecord[] | null }>(
        shardKey('session-records.waiting', shard),
        [last.session_id, last.id],
      );
      const records = row!.records ?? [];
      isMore = records.length === CARRIED_AT_ONCE;
      last = records.at(-1) ?? last;
      const taken = await this.#take(records.filter(({ id }) => !this.#isRefused(id)));
      if (taken.length === 0) continue;
      const ids = [taken.map(({ session_id: id }) => id), taken.map(({ id }) => id)];
      await node.run(shardKey('session-records.remove', shard), ids);
    }
  }

  /** One that the coordinator refuses does not hold up the others. @returns those that it has taken */
  async #take(records: readonly SessionRecord[]): Promise<readonly SessionRecord[]> {
    if (records.length === 0 || (await this.#try(records)) === undefined) return records;
    const taken: SessionRecord[] = [];
    for (const record of records) {
      const refusal = await this.#try([record]);
      if (refusal === undefined) taken.push(record);
      else this.#refuse(record, refusal);
    }
    return taken;
  }

  /** @returns undefined, or why not. @throws DatabaseUnavailableError */
  async #try(records: readonly SessionRecord[]): Promise<unknown> {
    try {
      await this.options.coordinator.run('session-records.take', [JSON.stringify(records)]);
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      return error;
    }
  }

  #isRefused(id: string): boolean {
    const untilMs = this.#refused.get(id);
    if (untilMs === undefined || performance.now() < untilMs) return untilMs !== undefined;
    this.#refused.delete(id);
    return false;
  }

  #refuse({ id }: SessionRecord, error: unknown): void {
    this.#refused.set(id, performance.now() + REFUSED_MS);
    this.options.log.warn(
      { record: id, reason: reasonOf(error) },
      'the event of a log-out cannot be written; it stays on its node, and is tried again in a minute',
    );
  }

  /** Waits for the statements that run; what is left is for other servers. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#running.values());
  }
}
