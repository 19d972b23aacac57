/** Verification of second factors. It raises the session to AAL2. */
import { type TriedChallenge, verifyFactor } from '../../db/factors.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import type { App, Client } from '../app.js';
import { apiError } from '../errors.js';
import type { UserCaller } from '../sessions/caller.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { isUuid, NIL_UUID } from '../uuid.js';
import { judgeAttempt } from './attempt.js';
import type { FactorAnswer, RightAnswer } from './contract.js';
import { type EnrolledKind, factorKinds } from './kinds.js';
import { findOwnFactor, type OwnFactor, requireFactorCaller } from './own-factor.js';
import { checkPhoneCode } from './phone-check.js';
import { checkTotp } from './totp-check.js';
import { takeTry } from './tries.js';

type Check = (
  app: App,
  factor: OwnFactor,
  tried: TriedChallenge,
  answer: FactorAnswer,
) => Promise<RightAnswer> | RightAnswer;

const checks: Partial<Record<EnrolledKind, Check>> = {
  totp: checkTotp,
  phone: (app, _factor, tried, answer) => checkPhoneCode(app, tried, answer),
};

/**
 * POST /factors/{factor_id}/verify. Two statements: one takes a try and reads what the check needs, one applies.
 * @throws ApiError in the order of docs/mfa.md, Verification
 */
export async function verifyChallenge(
  app: App,
  client: Client,
  caller: UserCaller,
  factorId: string,
  answer: FactorAnswer,
): Promise<TokenResponse> {
  requireFactorCaller(caller);
  const factor = findOwnFactor(caller, factorId);
  const challengeId = answer.challengeId || NIL_UUID;
  if (!isUuid(challengeId)) throw apiError('challengeIdNotUuid');
  const { method, mayVerify, verificationOff } = factorKinds[factor.kind];
  if (factor.kind !== 'webauthn' && answer.code === '') throw apiError('factorCodeEmpty');
  const check = checks[factor.kind];
  if (!mayVerify(app.config) || check === undefined) throw apiError(verificationOff);

  const { user, sessionId } = caller;
  const key = { factorId: factor.id, userId: user.id, sessionId, challengeId };
  const tried = await takeTry(app, key, client.ip);
  if (tried.status === 'unverified' && tried.has_verified && tried.aal === 'aal1') throw apiError('aalForEnrolment');
  const right = await judgeAttempt(app, client, caller, factor, () => check(app, factor, tried, answer));
  const { step = null, credential = null } = right;

  const traits = { factor_id: factor.id, challenge_id: challengeId, factor_type: factor.kind };
  const audit = [auditEntry(user, 'verification_attempted', traits)];
  const verified = { ...key, method, step, credential, audit: storedAudit(app, audit) };
  const opened = await signInWithClaims(app, client, (db) => verifyFactor(db, verified), true);
  // Another request was faster: with this challenge, with a code of this step, or by ending the session.
  if (opened === undefined) throw apiError('challengeUsed', { id: challengeId });
  app.factorCounts.count(factor.kind, 'ok');
  if (right.offset !== undefined) app.factorCounts.countOffset(right.offset);
  logAudit(app, client.requestId, audit);
  return issueTokens(app, opened);
}
