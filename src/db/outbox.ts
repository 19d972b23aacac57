/** Typed doors to sql/queries/outbox.sql. */
import type { Database } from './types.js';

/** A mail this sender has claimed. */
export interface ClaimedMail {
  id: string;
  kind: string;
  sealed: string;
  /** Raised by every claim; names this claim in later statements. */
  attempts: number;
  /** An earlier attempt has failed. */
  has_failed: boolean;
  age_seconds: number;
}

type Claim = Pick<ClaimedMail, 'id' | 'attempts'>;

export async function claimMails(
  db: Database,
  limit: number,
  leaseSeconds: number,
  maxAgeSeconds: number,
): Promise<ClaimedMail[]> {
  return db.run<ClaimedMail>('outbox.claim', [limit, leaseSeconds, maxAgeSeconds]);
}

/** @returns false when the mail must not leave: replaced by a newer one, or no longer ours */
export async function startData(db: Database, { id, attempts }: Claim): Promise<boolean> {
  return (await db.run('outbox.start_data', [id, attempts])).length === 1;
}

export async function finishMail(db: Database, { id, attempts }: Claim): Promise<void> {
  await db.run('outbox.finish', [id, attempts]);
}

export async function putMailBack(db: Database, { id, attempts }: Claim, delaySeconds: number): Promise<void> {
  await db.run('outbox.put_back', [id, attempts, delaySeconds]);
}

export async function handMailBack(db: Database, { id, attempts }: Claim): Promise<void> {
  await db.run('outbox.hand_back', [id, attempts]);
}

export interface SweptMail extends Omit<ClaimedMail, 'age_seconds'> {
  /** Its sender died after DATA had begun; otherwise its code has expired. */
  is_outcome_unknown: boolean;
}

export async function sweepMails(db: Database, maxAgeSeconds: number): Promise<SweptMail[]> {
  return db.run<SweptMail>('outbox.sweep', [maxAgeSeconds]);
}

/** @returns due_in_seconds null when the outbox is empty */
export async function waitingMails(db: Database): Promise<{ waiting: number; due_in_seconds: number | null }> {
  const [row] = await db.run<{ waiting: number; due_in_seconds: number | null }>('outbox.waiting', []);
  return row ?? { waiting: 0, due_in_seconds: null };
}
