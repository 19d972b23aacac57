/** The statements of sql/queries/outbox.sql. */
import type { MailInput } from './outgoing.js';
import type { Database, Statements } from './types.js';

/** A mail that this sender has claimed. */
export interface ClaimedMail {
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

type Claim = Pick<ClaimedMail, 'id' | 'attempts'>;

/** Seconds after its commit in which a mail is still sent. */
export interface MailAges {
  readonly code: number;
  readonly notice: number;
}

export async function claimMails(
  db: Database,
  limit: number,
  leaseSeconds: number,
  maxAges: MailAges,
): Promise<ClaimedMail[]> {
  return db.run<ClaimedMail>('outbox.claim', [limit, leaseSeconds, maxAges.code, maxAges.notice]);
}

/** @returns false when the mail must not be sent: it was replaced by a newer one, or another sender has it */
export async function startData(db: Database, { id, attempts }: Claim): Promise<boolean> {
  return (await db.run('outbox.start_data', [id, attempts])).length === 1;
}

export async function finishMail(db: Database, { id, attempts }: Claim): Promise<void> {
  await db.run('outbox.finish', [id, attempts]);
}

export async function rescheduleMail(db: Database, { id, attempts }: Claim, delaySeconds: number): Promise<void> {
  await db.run('outbox.put_back', [id, attempts, delaySeconds]);
}

export async function releaseMail(db: Database, { id, attempts }: Claim): Promise<void> {
  await db.run('outbox.hand_back', [id, attempts]);
}

export interface SweptMail extends Omit<ClaimedMail, 'age_seconds' | 'user_id'> {
  /** Its sender died after DATA had started; otherwise its code has expired. */
  is_outcome_unknown: boolean;
}

export async function deleteExpiredMails(db: Database, maxAges: MailAges): Promise<SweptMail[]> {
  return db.run<SweptMail>('outbox.sweep', [maxAges.code, maxAges.notice]);
}

/** Stores mails in the transaction of the change they belong to. @param userId null: they outlive the account */
export async function insertMails(
  statements: Statements,
  userId: string | null,
  mails: readonly MailInput[],
): Promise<void> {
  if (mails.length > 0) await statements.run('outbox.write', [userId, JSON.stringify(mails)]);
}

/** @returns due_in_seconds null when the outbox is empty */
export async function waitingMails(db: Database): Promise<{ waiting: number; due_in_seconds: number | null }> {
  const [row] = await db.run<{ waiting: number; due_in_seconds: number | null }>('outbox.waiting', []);
  return row ?? { waiting: 0, due_in_seconds: null };
}
