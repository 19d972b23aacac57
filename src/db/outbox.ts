/** The statements of sql/queries/outbox.sql. */
import type { MailInput } from './outgoing.js';
import type { Database, Statements } from './types.js';

/** Who sends a message: a mail server, or an SMS gateway; or the hook in its place. */
export type OutboxChannel = 'mail' | 'text';

/** A message that this sender has claimed. */
export interface ClaimedMessage {
  id: string;
  /** Null: a pending sign-up. */
  user_id: string | null;
  kind: string;
  sealed: string;
  /** Incremented by every claim; identifies this claim in later statements. */
  attempts: number;
  /** An earlier attempt has failed. */
  has_failed: boolean;
  age_seconds: number;
}

type Claim = Pick<ClaimedMessage, 'id' | 'attempts'>;

/** Seconds after its commit in which a message is still sent. */
export interface MessageAges {
  readonly code: number;
  readonly notice: number;
}

export async function claimMessages(
  db: Database,
  channel: OutboxChannel,
  limit: number,
  leaseSeconds: number,
  maxAges: MessageAges,
): Promise<ClaimedMessage[]> {
  const { code, notice } = maxAges;
  return db.run<ClaimedMessage>('outbox.claim', [limit, leaseSeconds, code, notice, channel === 'text']);
}

/** @returns false when the message must not be sent: it was replaced by a newer one, or another sender has it */
export async function startData(db: Database, { id, attempts }: Claim): Promise<boolean> {
  return (await db.run('outbox.start_data', [id, attempts])).length === 1;
}

export async function finishMessage(db: Database, { id, attempts }: Claim): Promise<void> {
  await db.run('outbox.finish', [id, attempts]);
}

/** Why an attempt failed; safe to show. */
export interface AttemptFailure {
  /** Of an SMTP session; null: the message goes another way. */
  readonly stage: string | null;
  readonly failure: string;
}

export async function rescheduleMessage(
  db: Database,
  { id, attempts }: Claim,
  delaySeconds: number,
  { stage, failure }: AttemptFailure,
): Promise<void> {
  await db.run('outbox.put_back', [id, attempts, delaySeconds, stage, failure]);
}

export type GiveUpReason = 'refused' | 'expired' | 'unknown';

/** @param recipient so much of it that its owner recognises it; null: the message cannot be opened */
export async function giveUpMessage(
  db: Database,
  { id, attempts }: Claim,
  reason: GiveUpReason,
  { stage, failure }: AttemptFailure,
  recipient: string | null,
): Promise<void> {
  await db.run('outbox.give_up', [id, attempts, reason, stage, failure, recipient]);
}

export async function releaseMessage(db: Database, { id, attempts }: Claim): Promise<void> {
  await db.run('outbox.hand_back', [id, attempts]);
}

export interface SweptMessage extends Omit<ClaimedMessage, 'age_seconds' | 'user_id'> {
  /** Its sender died after DATA had started; otherwise its code has expired. */
  is_outcome_unknown: boolean;
}

export async function deleteExpiredMessages(
  db: Database,
  channel: OutboxChannel,
  maxAges: MessageAges,
): Promise<SweptMessage[]> {
  return db.run<SweptMessage>('outbox.sweep', [maxAges.code, maxAges.notice, channel === 'text']);
}

/** Stores mails and texts in the transaction of the change they belong to. @param userId null: they outlive the account */
export async function insertMails(
  statements: Statements,
  userId: string | null,
  mails: readonly MailInput[],
): Promise<void> {
  if (mails.length > 0) await statements.run('outbox.write', [userId, JSON.stringify(mails)]);
}

/** @returns due_in_seconds null when nothing waits */
export async function waitingMessages(
  db: Database,
  channel: OutboxChannel,
): Promise<{ waiting: number; due_in_seconds: number | null }> {
  const isText = channel === 'text';
  const [row] = await db.run<{ waiting: number; due_in_seconds: number | null }>('outbox.waiting', [isText]);
  return row ?? { waiting: 0, due_in_seconds: null };
}
