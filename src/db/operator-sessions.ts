/** The statements of sql/queries/operators.sql with which operators sign in. */
import { type NewOperatorPasskey, passkeyValues } from './operators.js';
import type { Database } from './types.js';

/** A session that is to be opened, and what is stored with it. */
export interface NewOperatorSession {
  /** Hash of its token. */
  readonly hash: string;
  readonly userAgent: string | null;
  readonly ip: string | null;
  readonly audit: readonly object[];
}

const sessionValues = ({ hash, userAgent, ip, audit }: NewOperatorSession) => [
  hash,
  userAgent,
  ip,
  JSON.stringify(audit),
];

const firstId = (rows: readonly { id: string }[]): string | undefined => rows[0]?.id;

export interface OperatorLinkRow {
  /** Of the operator. */
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly signs_in: boolean;
  /** Sealed. */
  readonly totp_secret: string | null;
}

/** @returns undefined for a link that is unknown, used or expired */
export async function readOperatorLink(db: Database, linkHash: string): Promise<OperatorLinkRow | undefined> {
  return (await db.run<OperatorLinkRow>('operators.read_link', [linkHash]))[0];
}

/** @returns false for a link that is unknown, used or expired */
export async function keepLinkSecret(db: Database, linkHash: string, sealed: string): Promise<boolean> {
  return (await db.run('operators.keep_link_secret', [linkHash, sealed])).length === 1;
}

/** @returns the id of the session; undefined when the link or the credential was used before */
export async function useLinkForPasskey(
  db: Database,
  linkHash: string,
  passkey: NewOperatorPasskey,
  session: NewOperatorSession,
): Promise<string | undefined> {
  const values = [linkHash, ...passkeyValues(passkey), ...sessionValues(session)];
  return firstId(await db.run<{ id: string }>('operators.use_link_for_passkey', values));
}

export interface NewOperatorPassword {
  readonly passwordHash: string;
  /** Sealed, as the link has it. */
  readonly linkSecret: string;
  /** Sealed for the operator. */
  readonly secret: string;
  readonly step: number;
}

/** @returns the id of the session; undefined when the link was used before, or has another secret */
export async function useLinkForPassword(
  db: Database,
  linkHash: string,
  { passwordHash, linkSecret, secret, step }: NewOperatorPassword,
  session: NewOperatorSession,
): Promise<string | undefined> {
  const values = [linkHash, linkSecret, passwordHash, secret, step, ...sessionValues(session)];
  return firstId(await db.run<{ id: string }>('operators.use_link_for_password', values));
}

/** @returns the id of the session; undefined when the link was used before */
export async function useLinkToSignIn(
  db: Database,
  linkHash: string,
  session: NewOperatorSession,
): Promise<string | undefined> {
  return firstId(await db.run<{ id: string }>('operators.use_link_to_sign_in', [linkHash, ...sessionValues(session)]));
}

export interface OperatorSecrets {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly password_hash: string | null;
  readonly totp_secret: string | null;
  readonly totp_last_step: string | null;
}

export async function readOperatorSecrets(db: Database, name: string): Promise<OperatorSecrets | undefined> {
  return (await db.run<OperatorSecrets>('operators.for_password', [name]))[0];
}

/**
 * @param renewed the secret sealed with the current key, and a new hash of the same password; null: none is needed
 * @returns false when the step, or a later one, was used before, or the password has changed
 */
export async function takeOperatorStep(
  db: Database,
  operatorId: string,
  step: number,
  passwordHash: string,
  renewed: { readonly secret: string | null; readonly passwordHash: string | null },
): Promise<boolean> {
  const values = [operatorId, step, passwordHash, renewed.secret, renewed.passwordHash];
  return (await db.run('operators.take_step', values)).length === 1;
}

export interface UsedOperatorPasskey {
  readonly id: string;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly backup_eligible: boolean;
  readonly operator_id: string;
  readonly name: string;
  readonly role: string;
}

/** @param credentialId base64url */
export async function readOperatorPasskey(
  db: Database,
  credentialId: string,
): Promise<UsedOperatorPasskey | undefined> {
  return (await db.run<UsedOperatorPasskey>('operators.passkey', [Buffer.from(credentialId, 'base64url')]))[0];
}

/** @returns false when the passkey was removed, or its counter did not rise */
export async function noteOperatorPasskey(db: Database, passkeyId: string, signCount: number): Promise<boolean> {
  return (await db.run('operators.use_passkey', [passkeyId, signCount])).length === 1;
}

/** @returns the id of the session; undefined when the operator is gone */
export async function openOperatorSession(
  db: Database,
  operatorId: string,
  method: 'passkey' | 'password',
  { hash, userAgent, ip, audit }: NewOperatorSession,
): Promise<string | undefined> {
  const values = [operatorId, hash, method, userAgent, ip, JSON.stringify(audit)];
  return firstId(await db.run<{ id: string }>('operators.open_session', values));
}

export interface OperatorSessionRow {
  readonly session_id: string;
  readonly method: string;
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly has_password: boolean;
  /** Has a password or a passkey. */
  readonly has_factor: boolean;
  readonly proven_seconds_ago: number;
  readonly ends_at: string;
}

export interface OperatorSessionTimes {
  readonly idleSeconds: number;
  readonly lifeSeconds: number;
}

/** @param isUsed somebody is there, so the idle time begins anew */
export async function readOperatorSession(
  db: Database,
  hash: string,
  { idleSeconds, lifeSeconds }: OperatorSessionTimes,
  isUsed: boolean,
): Promise<OperatorSessionRow | undefined> {
  return (await db.run<OperatorSessionRow>('operators.session', [hash, idleSeconds, lifeSeconds, isUsed]))[0];
}

/** @returns false when the session is gone */
export async function raiseOperatorSession(
  db: Database,
  sessionId: string,
  { former, next }: { readonly former: string; readonly next: string },
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('operators.step_up', [sessionId, former, next, JSON.stringify(audit)])).length === 1;
}

export interface ListedOperatorSession {
  readonly id: string;
  readonly method: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly created_at: string;
  readonly used_at: string;
}

export const readOperatorSessions = (
  db: Database,
  operatorId: string,
  { idleSeconds, lifeSeconds }: OperatorSessionTimes,
): Promise<readonly ListedOperatorSession[]> =>
  db.run<ListedOperatorSession>('operators.sessions', [operatorId, idleSeconds, lifeSeconds]);

/** @returns false when there is no such session */
export async function endOperatorSession(
  db: Database,
  operatorId: string,
  sessionId: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('operators.end_session', [operatorId, sessionId, JSON.stringify(audit)])).length === 1;
}

/** Deletes sessions that are over, and links that have expired. */
export async function forgetEndedSessions(
  db: Database,
  { idleSeconds, lifeSeconds }: OperatorSessionTimes,
): Promise<void> {
  await db.run('operators.forget_ended', [idleSeconds, lifeSeconds]);
}
