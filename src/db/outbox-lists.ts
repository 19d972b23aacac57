/** The statements of sql/queries/outbox.sql for operators. */
import type { OutboxChannel } from './outbox.js';
import type { Database, TimePlace } from './types.js';

export interface WaitingMessage {
  readonly id: string;
  readonly user_id: string | null;
  readonly kind: string;
  readonly sealed: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly next_attempt_at: string;
  readonly is_being_sent: boolean;
  /** Of the last attempt. */
  readonly failed_stage: string | null;
  readonly failure: string | null;
}

/** @param after in ascending order */
export const listWaiting = (
  db: Database,
  channel: OutboxChannel,
  after: TimePlace,
  limit: number,
): Promise<readonly WaitingMessage[]> =>
  db.run<WaitingMessage>('outbox.list', [channel === 'text', after.createdAt, after.id, limit]);

export interface WaitingStage {
  readonly stage: string | null;
  readonly messages: number;
  readonly oldest_at: string;
}

export const countWaitingStages = (
  db: Database,
  channel: OutboxChannel,
  most: number,
): Promise<readonly WaitingStage[]> => db.run<WaitingStage>('outbox.waiting_by_stage', [channel === 'text', most]);

export interface FailedMessage {
  readonly id: string;
  readonly user_id: string | null;
  readonly kind: string;
  readonly recipient: string | null;
  readonly reason: string;
  readonly stage: string | null;
  readonly failure: string | null;
  readonly attempts: number;
  readonly created_at: string;
  readonly failed_at: string;
}

export const listFailed = (
  db: Database,
  channel: OutboxChannel,
  before: TimePlace,
  limit: number,
): Promise<readonly FailedMessage[]> =>
  db.run<FailedMessage>('outbox.failures', [channel === 'text', before.createdAt, before.id, limit]);

export interface FailedStage {
  readonly reason: string;
  readonly stage: string | null;
  readonly messages: number;
  readonly newest_at: string;
}

export const countFailedStages = (
  db: Database,
  channel: OutboxChannel,
  most: number,
): Promise<readonly FailedStage[]> => db.run<FailedStage>('outbox.failures_by_stage', [channel === 'text', most]);

/** @returns the ids of those that are tried at once; the others are being sent, or gone */
export async function retryMessages(
  db: Database,
  ids: readonly string[],
  audit: readonly object[],
): Promise<readonly string[]> {
  return (await db.run<{ id: string }>('outbox.retry', [ids, JSON.stringify(audit)])).map(({ id }) => id);
}

/** @returns the ids of those that will not be sent; the others are being sent, or gone */
export async function discardMessages(
  db: Database,
  ids: readonly string[],
  audit: readonly object[],
): Promise<readonly string[]> {
  return (await db.run<{ id: string }>('outbox.discard', [ids, JSON.stringify(audit)])).map(({ id }) => id);
}
