/** Verification of second factors. It raises the session to AAL2. */
import { isUniqueViolation } from '../../db/errors.js';
import { type TriedChallenge, verifyFactor } from '../../db/factors.js';
import { isUuid, NIL_UUID } from '../../db/uuid.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { judgeAttempt } from './attempt.js';
import type { FactorAnswer, RightAnswer } from './contract.js';
import { notingEnrolment, prepareFactorNotice } from './factor-notices.js';
import { type EnrolledKind, factorKinds } from './kinds.js';
import { type FactorCaller, findOwnFactor, type OwnFactor, requireFactorCaller } from './own-factor.js';
import { checkPhoneCode } from './phone-check.js';
import { checkTotp } from './totp-check.js';
import { takeTry } from './tries.js';
import { prepareTrust, trustingDevice } from './trust.js';
import { assertWebauthnAnswer, checkWebauthnAnswer } from './webauthn-check.js';

/** A try to answer a challenge. */
interface Attempt {
  readonly client: Client;
  readonly caller: FactorCaller;
  readonly factor: OwnFactor;
  readonly tried: TriedChallenge;
  readonly answer: FactorAnswer;
}

const checks: Readonly<Record<EnrolledKind, (app: App, attempt: Attempt) => Promise<RightAnswer> | RightAnswer>> = {
  totp: (app, { factor, tried, answer }) => checkTotp(app, factor, tried, answer),
  phone: (app, { tried, answer }) => checkPhoneCode(app, tried, answer),
  webauthn: (app, { client, caller, factor, tried, answer }) =>
    checkWebauthnAnswer(app, client, caller, factor, tried, answer),
};

/**
 * POST /factors/{factor_id}/verify. Two statements: one takes a try and reads what the check needs, one applies.
 * @throws ApiError in this order: of own-factor.ts, challengeIdNotUuid, factorCodeEmpty, the kind is switched off, of
 *   assertWebauthnAnswer(), of takeTry(), aalForEnrolment, of the check, challengeUsed, factorCredentialTaken
 */
export async function verifyChallenge(
  app: App,
  client: Client,
  caller: UserCaller,
  factorId: string,
  answer: FactorAnswer,
): Promise<TokenResponse & { trusted_device_token?: string }> {
  requireFactorCaller(caller);
  const factor = findOwnFactor(caller, factorId);
  const challengeId = answer.challengeId || NIL_UUID;
  if (!isUuid(challengeId)) throw apiError('challengeIdNotUuid');
  const { method, mayVerify, verificationOff } = factorKinds[factor.kind];
  if (factor.kind !== 'webauthn' && answer.code === '') throw apiError('factorCodeEmpty');
  if (!mayVerify(app.config)) throw apiError(verificationOff);
  if (factor.kind === 'webauthn') assertWebauthnAnswer(answer);

  const { user, sessionId } = caller;
  const key = { factorId: factor.id, userId: user.id, sessionId, challengeId };
  const tried = await takeTry(app, key, client.ip);
  if (tried.status === 'unverified' && tried.has_verified && tried.aal === 'aal1') throw apiError('aalForEnrolment');
  const right = await judgeAttempt(app, client, caller, factor, () =>
    checks[factor.kind](app, { client, caller, factor, tried, answer }),
  );
  const { step = null, credential = null } = right;

  const traits = { factor_id: factor.id, challenge_id: challengeId, factor_type: factor.kind };
  const trust = prepareTrust(app, key, answer.trustedName);
  const audit = [auditEntry(user, 'verification_attempted', traits)];
  if (trust !== null) {
    audit.push(auditEntry(user, 'trusted_device_added', { factor_id: factor.id, device_id: trust.device.id }));
  }
  const needsHigherCounter = credential !== null && app.config.webauthnCounterPolicy === 'refuse';
  const verified = { ...key, method, step, credential, needsHigherCounter, audit: storedAudit(app, audit) };
  const notices =
    tried.status === 'verified'
      ? []
      : await prepareFactorNotice(app, client, user, 'mfa_factor_enrolled_notification', factor.kind);
  const write = notingEnrolment(
    app,
    user.id,
    factor.id,
    notices,
    trustingDevice(trust, (db) => verifyFactor(db, verified)),
  );
  const opened = await catchTakenCredential(() => signInWithClaims(app, client, write, true));
  // Another request was faster: with this challenge, with a code of this step, or by ending the session.
  if (opened === undefined) throw apiError('challengeUsed', { id: challengeId });
  app.factorCounts.count(factor.kind, 'ok');
  if (right.offset !== undefined) app.factorCounts.countOffset(right.offset);
  logAudit(app, client.requestId, audit);
  const tokens = await issueTokens(app, opened);
  return trust === null ? tokens : { ...tokens, trusted_device_token: trust.token };
}

/** @throws ApiError factorCredentialTaken: a credential belongs to one factor of one user */
async function catchTakenCredential<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error, 'mfa_factors_credential_key') ? apiError('factorCredentialTaken') : error;
  }
}
