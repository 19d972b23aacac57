/** Typed doors to sql/queries/account-locks.sql. */
import type { Database, Statements } from './types.js';
import type { Channel } from './users.js';

/**
 * Runs statements in one transaction that holds the row of an account from its first statement on. Sign-ins write that
 * row too, so that each is either over before the statements begin, and seen by them, or begins after their commit.
 * @param work statements only: a connection is held meanwhile. What it throws rolls everything back.
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
 * Locks the account that has an address, in a transaction.
 * @returns its id; undefined when no account has the address
 */
export async function lockHolder(
  statements: Statements,
  channel: Channel,
  address: string,
): Promise<string | undefined> {
  return (await statements.run<{ id: string }>(`account-locks.lock_user_by_${channel}`, [address]))[0]?.id;
}

/** Ends what has begun to sign in to an account or to link to it; in a transaction that has locked the account. */
export async function endFlows(statements: Statements, userId: string): Promise<void> {
  await statements.run('account-locks.end_flows', [userId]);
}

/** Whether a session of an account still lives; in a transaction that has locked the account. */
export async function isSessionAlive(statements: Statements, userId: string, sessionId: string): Promise<boolean> {
  return (await statements.run('account-locks.session_lives', [userId, sessionId])).length === 1;
}
