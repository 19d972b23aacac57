/** The statements of sql/queries/factors.sql. */
import type { Database, SealedRow, Statements } from './types.js';
import { type FactorKind, type FactorStatus, type FactorSummary, runForUser, type SignedInRow } from './user-rows.js';

/** A factor as enrolment needs it. */
export interface EnrolledFactor {
  readonly id: string;
  readonly kind: FactorKind;
  readonly status: FactorStatus;
  readonly friendly_name: string;
  readonly phone: string | null;
  /** Of webauthn, once it has been verified. */
  readonly credential: Readonly<Record<string, unknown>> | null;
}

/** Unverified factors that a new one does away with. */
export interface Replaceable {
  /** With this number; null: none. */
  readonly phone: string | null;
  /** With this name; null: none. */
  readonly friendlyName: string | null;
  /** Older than this, and never challenged. */
  readonly ageSeconds: number;
}

/** Deletes unverified factors of the user. */
export async function makeRoomForFactor(
  statements: Statements,
  userId: string,
  { phone, friendlyName, ageSeconds }: Replaceable,
): Promise<void> {
  await statements.run('factors.make_room', [userId, phone, friendlyName, ageSeconds]);
}

/** Factors of the user, oldest first. */
export const readFactors = (statements: Statements, userId: string): Promise<readonly EnrolledFactor[]> =>
  statements.run<EnrolledFactor>('factors.of_user', [userId]);

export interface NewFactor {
  readonly id: string;
  readonly userId: string;
  readonly kind: FactorKind;
  readonly friendlyName: string;
  /** Sealed; of totp. */
  readonly secret: string | null;
  readonly phone: string | null;
  readonly audit: readonly object[];
}

/** Stores an unverified factor. */
export async function insertFactor(statements: Statements, factor: NewFactor): Promise<void> {
  const { id, userId, kind, friendlyName, secret, phone, audit } = factor;
  await statements.run('factors.insert', [id, userId, kind, friendlyName, secret, phone, JSON.stringify(audit)]);
}

export interface NewChallenge {
  readonly id: string;
  readonly factorId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly ip: string | null;
  /** Of phone: keyed hash of the code. */
  readonly codeHash: string | null;
  /** Of webauthn, base64url. */
  readonly challenge: string | null;
  /** Shortest time between two challenges of the factor; null: any. */
  readonly everySeconds: number | null;
  readonly audit: readonly object[];
}

/**
 * @returns when it was opened, in seconds since the epoch; undefined when the factor or the session is gone, or the factor
 *   was challenged too recently
 */
export async function insertChallenge(statements: Statements, challenge: NewChallenge): Promise<number | undefined> {
  const { id, factorId, userId, sessionId, ip, codeHash, challenge: text, everySeconds, audit } = challenge;
  const values = [id, factorId, userId, sessionId, ip, codeHash, text, everySeconds, JSON.stringify(audit)];
  return (await statements.run<{ created_at_seconds: number }>('factors.challenge', values))[0]?.created_at_seconds;
}

/** A challenge with its factor, of which one try was taken. */
export interface TriedChallenge {
  readonly kind: FactorKind;
  readonly status: FactorStatus;
  readonly secret: string | null;
  readonly last_step: string | null;
  readonly credential: Readonly<Record<string, unknown>> | null;
  readonly ip: string | null;
  readonly code_hash: string | null;
  readonly challenge: string | null;
  readonly is_used: boolean;
  readonly is_expired: boolean;
  /** Seconds until the user's next try; 0: this one counts. */
  readonly wait_seconds: number;
  /** False when the tries of the challenge are used up, or the user has to wait. */
  readonly has_try: boolean;
  /** Of the session. */
  readonly aal: string;
  /** Whether the user has a verified factor, recovery codes aside. */
  readonly has_verified: boolean;
}

/** Of a try. */
export interface ChallengeKey {
  readonly factorId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly challengeId: string;
}

/** How many tries there are, and the delays after them. */
export interface TryLimits {
  readonly validSeconds: number;
  readonly tries: number;
  /** Tries of the user in a row until the first delay; null: no delays. */
  readonly freeTries: number | null;
  readonly firstDelaySeconds: number;
  readonly longestDelaySeconds: number;
  readonly forgetAfterSeconds: number;
}

/** Takes a try. @returns undefined when this session has opened no such challenge of the factor */
export async function tryChallenge(
  statements: Statements,
  { factorId, userId, sessionId, challengeId }: ChallengeKey,
  limits: TryLimits,
): Promise<TriedChallenge | undefined> {
  const { validSeconds, tries, freeTries, firstDelaySeconds, longestDelaySeconds, forgetAfterSeconds } = limits;
  const key = [factorId, userId, sessionId, challengeId];
  const values = [...key, validSeconds, tries, freeTries, firstDelaySeconds, longestDelaySeconds, forgetAfterSeconds];
  return (await statements.run<TriedChallenge>('factors.try', values))[0];
}

/** What a right answer changes. */
export interface VerifiedChallenge extends Omit<ChallengeKey, 'challengeId'> {
  /** Null: a recovery code. */
  readonly challengeId: string | null;
  /** Null: a challenge. */
  readonly recoveryCodeId?: string | null;
  /** Step of the code (RFC 6238); null: not of totp. */
  readonly step: number | null;
  /** For amr. */
  readonly method: string;
  /** The credential after its use; null: unchanged. */
  readonly credential: object | null;
  /** The signature counter of the credential must have risen. */
  readonly needsHigherCounter?: boolean;
  readonly audit: readonly object[];
}

/** Uses a challenge up, after a false response. */
export async function spendChallenge(statements: Statements, challengeId: string): Promise<void> {
  await statements.run('factors.use_challenge', [challengeId]);
}

/** @returns undefined when the challenge or the step is used, the counter has not risen, or the session has ended */
export function verifyFactor(statements: Statements, verified: VerifiedChallenge): Promise<SignedInRow | undefined> {
  const { factorId, userId, sessionId, challengeId, step, method, credential, audit, recoveryCodeId = null } = verified;
  return runForUser<SignedInRow>(statements, 'factors.verify', [
    ...[factorId, userId, sessionId, challengeId, step, method],
    credential === null ? null : JSON.stringify(credential),
    JSON.stringify(audit),
    recoveryCodeId,
    verified.needsHigherCounter ?? false,
  ]);
}

export type RemovedFactor = Omit<EnrolledFactor, 'credential'>;

/** Removes a factor and lowers sessions. Call it with the account locked. @returns undefined when there is none */
export async function removeFactor(
  statements: Statements,
  factorId: string,
  userId: string,
  audit: readonly object[],
): Promise<RemovedFactor | undefined> {
  return (await statements.run<RemovedFactor>('factors.remove', [factorId, userId, JSON.stringify(audit)]))[0];
}

/** @param change null: unchanged. @returns undefined when there is no such factor */
export async function updateFactor(
  statements: Statements,
  factorId: string,
  userId: string,
  { friendlyName, phone }: { readonly friendlyName: string | null; readonly phone: string | null },
  audit: readonly object[],
): Promise<FactorSummary | undefined> {
  const values = [factorId, userId, friendlyName, phone, JSON.stringify(audit)];
  return (await statements.run<{ factor: FactorSummary }>('factors.update', values))[0]?.factor;
}

/** Sealed secrets of all users, in the order of ids. @param after id; null: from the first. @returns none: no more */
export const readSealedFactors = (db: Database, after: string | null): Promise<SealedRow[]> =>
  db.run<SealedRow>('factors.sealed', [after]);

/** Replaces a sealed secret, unless it has changed since it was read. */
export async function resealFactor(db: Database, { id, sealed: before }: SealedRow, sealed: string): Promise<void> {
  await db.run('factors.reseal', [id, before, sealed]);
}
