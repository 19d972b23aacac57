/** Challenges of second factors. */
import { randomUUID } from 'node:crypto';
import { insertChallenge } from '../../db/factors.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { assertAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { hasVerifiedFactor } from '../sessions/verified-factor.js';
import type { ChallengeParts } from './contract.js';
import { factorKinds } from './kinds.js';
import { type FactorCaller, findOwnFactor, type OwnFactor, requireFactorCaller } from './own-factor.js';
import { challengePhone } from './phone-challenge.js';
import { challengeWebauthn } from './webauthn-challenge.js';

/**
 * POST /factors/{factor_id}/challenge.
 * @param channel of phone factors; empty: sms
 * @throws ApiError of own-factor.ts; the kind is switched off; aalForEnrolment; of phone-challenge.ts
 */
export async function challengeFactor(
  app: App,
  client: Client,
  caller: UserCaller,
  factorId: string,
  channel: string,
): Promise<Record<string, unknown>> {
  requireFactorCaller(caller);
  const factor = findOwnFactor(caller, factorId);
  const { mayVerify, verificationOff } = factorKinds[factor.kind];
  if (!mayVerify(app.config)) throw apiError(verificationOff);
  await assertMayProve(app, caller, factor);
  const parts = await prepareChallenge(app, client, caller, factor, channel);
  const traits = { factor_id: factor.id, factor_status: factor.status };
  const audit = factor.kind === 'webauthn' ? [] : [auditEntry(caller.user, 'challenge_created', traits)];
  const opened = await openChallenge(app, client, caller, factor, parts, audit);
  return { id: opened.id, type: factor.kind, expires_at: opened.expiresAt, ...parts.answer };
}

/**
 * Once the user has a verified factor, only a session at AAL2 can add another one. Whoever has only the password could
 * otherwise begin a factor before the owner verifies one, and raise a session with it later.
 * @throws ApiError aalForEnrolment
 */
export async function assertMayProve(app: App, caller: FactorCaller, { status }: OwnFactor): Promise<void> {
  if (status === 'unverified' && hasVerifiedFactor(caller.user)) await assertAssurance(app, caller, 'aalForEnrolment');
}

/** What a kind adds: a texted code, or the options of a ceremony. */
function prepareChallenge(
  app: App,
  client: Client,
  caller: FactorCaller,
  factor: OwnFactor,
  channel: string,
): ChallengeParts | Promise<ChallengeParts> {
  if (factor.kind === 'phone') return challengePhone(app, client, caller, factor, channel);
  return factor.kind === 'webauthn' ? challengeWebauthn(app, caller, factor) : {};
}

/** @returns id, and the end of its life in seconds since the epoch. @throws ApiError sessionNotFound */
async function openChallenge(
  app: App,
  client: Client,
  caller: FactorCaller,
  factor: OwnFactor,
  { id = randomUUID(), codeHash, challenge }: ChallengeParts,
  audit: readonly AuditEntry[],
): Promise<{ readonly id: string; readonly expiresAt: number }> {
  const openedAt = await insertChallenge(app.db, {
    ...{ id, factorId: factor.id, userId: caller.user.id, sessionId: caller.sessionId, ip: client.ip },
    ...{ codeHash: codeHash ?? null, challenge: challenge ?? null, everySeconds: null },
    audit: storedAudit(app, audit),
  });
  if (openedAt === undefined) throw apiError('sessionNotFound');
  logAudit(app, client.requestId, audit);
  return { id, expiresAt: Math.floor(openedAt + app.config.mfaChallengeExpirySeconds) };
}
