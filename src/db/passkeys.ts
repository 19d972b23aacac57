/** The statements of sql/queries/passkeys.sql. */
import type { Database, Statements } from './types.js';
import { runForUser, type SignedInRow } from './user-rows.js';

export interface PasskeyRow {
  readonly id: string;
  readonly friendly_name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** A passkey that is about to sign in, with the state of its account. */
export interface SignInPasskey {
  readonly id: string;
  readonly user_id: string;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly backup_eligible: boolean;
  readonly email: string | null;
  readonly phone: string | null;
  readonly full_name: string | null;
  readonly is_email_unconfirmed: boolean;
  readonly is_phone_unconfirmed: boolean;
  readonly is_banned: boolean;
}

export interface ChallengeUse {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** @returns false when it was used before */
export async function useChallenge(db: Statements, { id, expiresAt }: ChallengeUse): Promise<boolean> {
  return (await db.run('passkeys.use_challenge', [id, expiresAt])).length === 1;
}

/**
 * Uses up a challenge and reads a passkey.
 * @param credentialId base64url; null when the response cannot be read
 * @returns undefined when the challenge was used before; null without such a passkey
 */
export async function beginPasskeySignIn(
  db: Database,
  { id, expiresAt }: ChallengeUse,
  credentialId: string | null,
): Promise<SignInPasskey | null | undefined> {
  const bytes = credentialId === null ? null : Buffer.from(credentialId, 'base64url');
  const [row] = await db.run<SignInPasskey | (Partial<SignInPasskey> & { id: null })>('passkeys.begin_sign_in', [
    id,
    expiresAt,
    bytes,
  ]);
  if (row === undefined) return undefined;
  return row.id === null ? null : row;
}

export interface PasskeySignIn {
  readonly passkeyId: string;
  readonly userId: string;
  readonly signCount: number;
  readonly backedUp: boolean;
  /** A counter that did not rise is accepted. */
  readonly anyCounter: boolean;
  readonly aal: 'aal1' | 'aal2';
  readonly userAgent: string | null;
  readonly ip: string | null;
  readonly audit: readonly object[];
}

/** @returns undefined when the account or the passkey has changed since it was read */
export async function signInWithPasskeyRow(db: Statements, input: PasskeySignIn): Promise<SignedInRow | undefined> {
  return runForUser<SignedInRow>(db, 'passkeys.sign_in', [
    input.passkeyId,
    input.userId,
    input.signCount,
    input.backedUp,
    input.anyCounter,
    input.aal,
    input.userAgent,
    input.ip,
    JSON.stringify(input.audit),
  ]);
}

/** Oldest first. */
export const listPasskeys = (db: Statements, userId: string): Promise<(PasskeyRow & { credential_id: Buffer })[]> =>
  db.run('passkeys.list', [userId]);

export interface NewPasskey {
  readonly id: string;
  readonly userId: string;
  /** base64url */
  readonly credentialId: string;
  /** base64url */
  readonly publicKey: string;
  readonly attestationFormat: string;
  readonly aaguid: string;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly friendlyName: string;
}

/** Call it with the account locked. @returns why it was not added, or the passkey */
export async function addPasskey(
  statements: Statements,
  passkey: NewPasskey,
  mostPasskeys: number,
  audit: readonly object[],
): Promise<'full' | 'taken' | PasskeyRow> {
  const [row] = await statements.run<{ is_full: boolean } & (PasskeyRow | { id: null })>('passkeys.add', [
    passkey.userId,
    mostPasskeys,
    passkey.id,
    Buffer.from(passkey.credentialId, 'base64url'),
    Buffer.from(passkey.publicKey, 'base64url'),
    passkey.attestationFormat,
    passkey.aaguid,
    passkey.signCount,
    JSON.stringify(passkey.transports),
    passkey.backupEligible,
    passkey.backedUp,
    passkey.friendlyName,
    JSON.stringify(audit),
  ]);
  if (row!.is_full) return 'full';
  return row!.id === null ? 'taken' : (row as PasskeyRow);
}

/** @returns undefined when the user has no such passkey */
export async function renamePasskey(
  db: Statements,
  userId: string,
  passkeyId: string,
  name: string,
  audit: readonly object[],
): Promise<PasskeyRow | undefined> {
  return (await db.run<PasskeyRow>('passkeys.rename', [userId, passkeyId, name, JSON.stringify(audit)]))[0];
}

/** Call it with the account locked. @returns false when the user has no such passkey */
export async function removePasskey(
  statements: Statements,
  userId: string,
  passkeyId: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await statements.run('passkeys.remove', [userId, passkeyId, JSON.stringify(audit)])).length === 1;
}
