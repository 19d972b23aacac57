/** The statements of sql/queries/account-locks.sql. */
import type { Database, Statements } from './types.js';
import type { Channel } from './user-rows.js';

/**
 * Runs statements in one transaction that locks the row of an account first. Sign-ins write that row too, so each one
 * either ends before these statements, which then see it, or starts after their commit.
 * @param work statements only, because it holds a connection. An error rolls the transaction back.
 */
export function withLockedUser<Result>(
  db: Database,
  userId: string,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (statements) => {
    await statements.run('account-locks.lock_user', [userId]);
    return work(statements);
  });
}

/**
 * Locks the account that has an address. Call it in a transaction.
 * @returns the account's id; undefined when no account has the address
 */
export async function lockUserByContact(
  statements: Statements,
  channel: Channel,
  address: string,
): Promise<string | undefined> {
  return (await statements.run<{ id: string }>(`account-locks.lock_user_by_${channel}`, [address]))[0]?.id;
}

/** Ends unfinished flows that would sign in to an account or link to it. Call it with the account locked. */
export async function endFlows(statements: Statements, userId: string): Promise<void> {
  await statements.run('account-locks.end_flows', [userId]);
}

/** A session as far as a change of credentials depends on it. */
export interface LockedSession {
  readonly aal: 'aal1' | 'aal2';
  /** Whether the user has a verified second factor. */
  readonly has_factor: boolean;
  /** Whether the user has one and the session was not raised by one. */
  readonly needs_factor: boolean;
  /** Since the newest use of a second factor; null: never. */
  readonly factor_age_seconds: number | null;
}

/** Call it with the account locked. @returns undefined when the session has ended */
export async function readLockedSession(
  statements: Statements,
  userId: string,
  sessionId: string,
): Promise<LockedSession | undefined> {
  return (await statements.run<LockedSession>('account-locks.session', [userId, sessionId]))[0];
}
