/** The statements of sql/queries/notices.sql. */
import type { Database, Statements } from './types.js';
import { type Metadata, runForUser, type SignedInRow, type UserRow } from './user-rows.js';

/** @returns whether the account has used other devices before, and not this one */
export async function meetDevice(statements: Statements, userId: string, device: string): Promise<boolean> {
  return (await statements.run<{ is_new: boolean }>('notices.meet_device', [userId, device]))[0]!.is_new;
}

/** Whom a notice can reach. */
export type ContactColumns = Pick<
  UserRow,
  'email' | 'email_confirmed_at' | 'phone' | 'phone_confirmed_at' | 'user_metadata'
>;

/**
 * @param checkedHash of the password that signed in
 * @param storedHash after the sign-in, which may have renewed it
 * @returns the user; undefined when it needs not be told
 */
export async function meetLeakedPassword(
  statements: Statements,
  userId: string,
  checkedHash: string,
  storedHash: string,
): Promise<ContactColumns | undefined> {
  return (await statements.run<ContactColumns>('notices.meet_leaked_password', [userId, checkedHash, storedHash]))[0];
}

/** A link that takes a replaced address back. */
export interface UndoInput {
  readonly email: string;
  readonly linkHash: string;
  readonly validSeconds: number;
}

export async function offerUndo(statements: Statements, userId: string, undo: UndoInput): Promise<void> {
  await statements.run('notices.offer_undo', [userId, undo.email, undo.linkHash, undo.validSeconds]);
}

export async function endUndos(statements: Statements, userId: string): Promise<void> {
  await statements.run('notices.end_undos', [userId]);
}

export interface FoundUndo {
  user_id: string;
  /** The old address. */
  email: string;
  current_email: string | null;
  is_current_confirmed: boolean;
  phone: string | null;
  is_phone_confirmed: boolean;
  user_metadata: Metadata;
  is_banned: boolean;
}

export async function findUndo(db: Database, linkHash: string, validSeconds: number): Promise<FoundUndo | undefined> {
  return (await db.run<FoundUndo>('notices.find_undo', [linkHash, validSeconds]))[0];
}

/**
 * Call it with the account locked.
 * @returns the account with its new session; undefined when the link was used, or the account is banned
 */
export async function undoEmail(
  statements: Statements,
  userId: string,
  undo: Pick<UndoInput, 'linkHash' | 'validSeconds'>,
  client: { readonly userAgent: string | null; readonly ip: string | null },
  audit: readonly object[],
): Promise<SignedInRow | undefined> {
  return runForUser<SignedInRow>(statements, 'notices.undo_email', [
    undo.linkHash,
    userId,
    undo.validSeconds,
    client.userAgent,
    client.ip,
    JSON.stringify(audit),
  ]);
}
