/** What follows every attempt at a second factor: the hook, the audit log, the counters. */
import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { appendAudit } from '../../db/audit.js';
import { endSessions } from '../../db/log-outs.js';
import type { FactorKind } from '../../db/user-rows.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { ApiError, apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import type { VerificationResult } from './attempt-counts.js';
import type { FactorCaller } from './own-factor.js';

const USUAL_MESSAGE = 'Further MFA verification attempts will be rejected.';

/** Why an answer is wrong; the cause of the error that the client gets. */
export class WrongAnswer extends Error {
  readonly result: Exclude<VerificationResult, 'ok' | 'rejected'>;

  constructor(result: Exclude<VerificationResult, 'ok' | 'rejected'>) {
    super(`The answer to the challenge is ${result}.`);
    this.name = 'WrongAnswer';
    this.result = result;
  }
}

/**
 * Checks an answer. The hook mfa_verification_attempt may refuse it, before it has any effect.
 * @param check throws the ApiError of a wrong answer, with code mfa_verification_failed
 * @throws ApiError factorAttemptRejected, those of the hook and of `check`
 */
export async function judgeAttempt<Right>(
  app: App,
  client: Client,
  caller: FactorCaller,
  factor: { readonly id: string; readonly kind: FactorKind },
  check: () => Promise<Right> | Right,
): Promise<Right> {
  let wrong: ApiError | null = null;
  let right: Right | undefined;
  try {
    right = await check();
  } catch (error) {
    if (!(error instanceof ApiError) || error.errorCode !== 'mfa_verification_failed') throw error;
    wrong = error;
    const reason = error.cause instanceof WrongAnswer ? error.cause.result : 'wrong';
    await reportFailure(app, client, caller, factor, reason);
  }
  await askHook(app, client, caller, factor, wrong === null);
  if (wrong !== null) throw wrong;
  return right as Right;
}

async function reportFailure(
  app: App,
  client: Client,
  { user }: FactorCaller,
  { id, kind }: { readonly id: string; readonly kind: FactorKind },
  reason: VerificationResult,
): Promise<void> {
  app.factorCounts.count(kind, reason);
  const audit = [auditEntry(user, 'verification_failed', { factor_id: id, factor_type: kind, reason })];
  await appendAudit(app.db, storedAudit(app, audit));
  logAudit(app, client.requestId, audit);
}

async function askHook(
  app: App,
  client: Client,
  { user }: FactorCaller,
  { id, kind }: { readonly id: string; readonly kind: FactorKind },
  isValid: boolean,
): Promise<void> {
  const hook = app.hooks.mfaVerification;
  // Only of codes: an assertion of a security key cannot be guessed.
  if (hook === null || kind === 'webauthn') return;
  const attempt = { userId: user.id, factorId: id, factorType: kind, isValid, ip: client.ip };
  const rejection = await hook.decide(attempt);
  if (rejection === null) return;
  app.factorCounts.count(kind, 'rejected');
  await withLockedUser(app.db, user.id, async (statements) => {
    await endFlows(statements, user.id);
    await endSessions(statements, user.id, null, 'global', []);
  });
  throw apiError('factorAttemptRejected', { message: rejection.message || USUAL_MESSAGE });
}
