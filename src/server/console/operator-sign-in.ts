/**
 * Operators sign in: a passkey, or a password with the code of an authenticator app, which is mandatory. Unknown names cost
 * the same work, and every refusal is the same.
 */
import { createHash } from 'node:crypto';
import { resetCounter } from '../../db/limits.js';
import {
  type NewOperatorSession,
  noteOperatorPasskey,
  openOperatorSession,
  raiseOperatorSession,
  readOperatorPasskey,
  readOperatorSecrets,
  takeOperatorStep,
} from '../../db/operator-sessions.js';
import { useChallenge } from '../../db/passkeys.js';
import { type AuditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { isTooLong } from '../accounts/passwords.js';
import { assertNoDelay, countWrongPassword } from '../accounts/sign-in-delay.js';
import { apiError } from '../errors.js';
import { createTotpSecret, matchTotp } from '../factors/totp.js';
import type { OperatorRole } from '../http/types.js';
import { readChallenge, refuse, type VerifyRequest } from '../passkeys/passkey-rules.js';
import type { App, Client } from '../runtime/app.js';
import { requestOptions } from '../webauthn/ceremony-options.js';
import { relyingPartyOf } from '../webauthn/relying-party.js';
import { namesAnotherOwner, readAssertion } from '../webauthn/responses.js';
import { issueChallenge } from '../webauthn/stateless-challenge.js';
import { verifyCredentialUse } from '../webauthn/verification.js';
import { consoleParty, hasConsolePasskeys } from './console-address.js';
import { newOperatorSecret, type OperatorCaller, type OperatorIdentity } from './operator.js';
import { operatorEntry } from './operator-audit.js';

const CHALLENGE_SECONDS = 300;
/** One step before and after: half a minute of clock error. */
const SKEW_STEPS = 1;
/** For names without a secret, so that the code costs the same. */
const DECOY_SECRET = createTotpSecret();

export interface OperatorPassword {
  readonly name: string;
  readonly password: string;
  readonly code: string;
}

/** How an operator has shown who it is. */
export interface ProvenOperator extends OperatorIdentity {
  readonly method: 'passkey' | 'password';
}

/** The token of an opened session, for its cookie. */
export interface OpenedSession {
  readonly token: string;
  readonly operator: OperatorIdentity;
}

/** What is stored with a new session, and its token. */
export function newSession(app: Pick<App, 'config'>, client: Client, audit: readonly AuditEntry[]) {
  const { token, hash } = newOperatorSecret();
  const { userAgent, ip } = client;
  const stored: NewOperatorSession = { hash, userAgent, ip, audit: storedAudit(app, audit) };
  return { token, stored };
}

/** @throws ApiError operatorPasskeysOff */
export function beginOperatorPasskey({ config }: Pick<App, 'config'>) {
  if (!hasConsolePasskeys(config)) throw apiError('operatorPasskeysOff');
  const { id, challenge, expiresAt } = issueChallenge(
    config,
    { ceremony: 'operator_authentication', owner: '' },
    CHALLENGE_SECONDS,
  );
  const wishes = { challenge, allow: [], userVerification: 'required' } as const;
  return {
    challenge_id: id,
    options: requestOptions(relyingPartyOf(consoleParty(config)), wishes),
    expires_at: expiresAt,
  };
}

/**
 * Verifies an assertion. The challenge is used up whatever follows.
 * @throws ApiError operatorSignInRefused, and those of readChallenge
 */
export async function provePasskey(app: App, client: Client, request: VerifyRequest): Promise<ProvenOperator> {
  const challenge = readChallenge(app, { ceremony: 'operator_authentication', owner: '' }, request);
  if (!(await useChallenge(app.db, challenge))) throw apiError('webauthnChallengeNotFound');
  const response = readAssertion(request.credential);
  if (response === null) throw apiError('webauthnResponseUnreadable');
  const passkey = await readOperatorPasskey(app.db, response.credentialId);
  if (passkey === undefined || namesAnotherOwner(response, passkey.operator_id))
    throw apiError('operatorSignInRefused');
  const stored = {
    publicKey: passkey.public_key.toString('base64url'),
    signCount: Number(passkey.sign_count),
    backupEligible: passkey.backup_eligible,
  };
  const party = { config: consoleParty(app.config), crypto: app.crypto };
  const verified = await verifyCredentialUse(party, stored, response, challenge.challenge);
  if (verified.refusal !== undefined) throw refuse(app, client.requestId, verified);
  if (!(await noteOperatorPasskey(app.db, passkey.id, verified.signCount))) throw apiError('operatorSignInRefused');
  const { operator_id: id, name, role } = passkey;
  return { id, name, role: role as OperatorRole, method: 'passkey' };
}

/** By name, whether there is such an operator or not. Wrong codes count, too. */
export const failureKeyOf = (name: string): string =>
  createHash('sha256').update(`operator\0${name}`).digest('base64url');

/**
 * Verifies password and code. Failures are counted by name; a code is accepted once.
 * @throws ApiError operatorSignInRefused, signInThrottled; overloaded when the hash queue is full
 */
export async function provePassword(app: App, given: OperatorPassword): Promise<ProvenOperator> {
  const name = given.name.trim().toLowerCase();
  if (isTooLong(given.password)) throw apiError('operatorSignInRefused');
  const key = failureKeyOf(name);
  await assertNoDelay(app, key);
  const { operator, check } = await app.crypto.withHashSlot(async (hashing) => {
    const operator = await readOperatorSecrets(app.db, name);
    return { operator, check: await hashing.verifyPassword(given.password, operator?.password_hash ?? null, null) };
  });
  const sealed = operator?.totp_secret ?? null;
  const secret = operator === undefined || sealed === null ? null : app.factorSecrets.open(operator.id, sealed);
  const clock = { nowSeconds: Date.now() / 1000, skewSteps: SKEW_STEPS };
  const match = matchTotp(secret ?? DECOY_SECRET, given.code, clock);
  if (!operator?.password_hash || secret === null || match === null || !check.matches) {
    await countWrongPassword(app, key);
    throw apiError('operatorSignInRefused');
  }
  // Concurrent wrong guesses may have started a delay.
  await assertNoDelay(app, key);
  const renewed = {
    secret: sealed === null ? null : app.factorSecrets.renew(operator.id, sealed),
    passwordHash: check.renewedHash,
  };
  if (!(await takeOperatorStep(app.db, operator.id, match.step, operator.password_hash, renewed))) {
    await countWrongPassword(app, key);
    throw apiError('operatorSignInRefused');
  }
  await resetCounter(app.db, 'sign_in', key);
  return { id: operator.id, name: operator.name, role: operator.role as OperatorRole, method: 'password' };
}

/** @throws ApiError operatorSignInRefused when the operator has just been removed */
export async function openProvenSession(app: App, client: Client, operator: ProvenOperator): Promise<OpenedSession> {
  const deed = { operator, requestId: client.requestId };
  const audit = [operatorEntry(deed, 'operator_signed_in', { method: operator.method })];
  const { token, stored } = newSession(app, client, audit);
  const id = await openOperatorSession(app.db, operator.id, operator.method, stored);
  if (id === undefined) throw apiError('operatorSignInRefused');
  logAudit(app, client.requestId, audit);
  return { token, operator };
}

/**
 * The operator of a session has shown again who it is. The session gets another token.
 * @throws ApiError operatorSignInRefused for another operator, operatorSignedOut
 */
export async function raiseSession(
  app: App,
  client: Client,
  caller: OperatorCaller,
  proven: ProvenOperator,
): Promise<OpenedSession> {
  if (proven.id !== caller.id) throw apiError('operatorSignInRefused');
  const { token, hash } = newOperatorSecret();
  const audit = [
    operatorEntry({ operator: caller, requestId: client.requestId }, 'operator_stepped_up', { method: proven.method }),
  ];
  const hashes = { former: caller.sessionHash, next: hash };
  const isRaised = await raiseOperatorSession(app.db, caller.sessionId, hashes, storedAudit(app, audit));
  if (!isRaised) throw apiError('operatorSignedOut');
  logAudit(app, client.requestId, audit);
  return { token, operator: caller };
}
