import { verifyFactor } from '../../db/factors.js';
import { type TriedCode, tryRecoveryCode } from '../../db/recovery-codes.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { judgeAttempt } from './attempt.js';
import { noting, prepareFactorNotice } from './factor-notices.js';
import { RECOVERY_METHOD } from './kinds.js';
import { requireFactorCaller } from './own-factor.js';
import { hashRecoveryCode, readRecoveryCode } from './recovery-code.js';

/**
 * POST /factors/recovery-codes/verify. The code raises the session to AAL2 and is spent.
 * @throws ApiError recoveryVerificationOff, factorCodeEmpty, recoveryCodeWrong, recoveryCodesLocked
 */
export async function verifyRecoveryCode(
  app: App,
  client: Client,
  caller: UserCaller,
  text: string,
): Promise<TokenResponse> {
  requireFactorCaller(caller);
  const { config } = app;
  if (!config.mfaRecoveryCodesVerifyEnabled) throw apiError('recoveryVerificationOff');
  const code = readRecoveryCode(text);
  if (code === '') throw apiError('factorCodeEmpty');
  const { user, sessionId } = caller;
  const hashes = app.keys.recoveryCode.accepted(Date.now()).map((key) => hashRecoveryCode(key, user.id, code));
  const limits = {
    tries: config.mfaRecoveryCodesMaxVerifyAttempts,
    lockSeconds: config.mfaRecoveryCodesLockoutSeconds,
  };
  const tried = await tryRecoveryCode(app.db, user.id, hashes, limits);
  if (tried === undefined) throw apiError('recoveryCodeWrong');
  if (tried.is_locked) {
    throw apiError('recoveryCodesLocked', {}, { retryAfterSeconds: Math.max(1, Math.ceil(tried.locked_seconds)) });
  }
  const set = { id: tried.id, kind: 'recovery_code' } as const;
  const recoveryCodeId = await judgeAttempt(app, client, caller, set, async () => {
    const id = tried.code_id ?? (await findImported(app, tried, code));
    if (id === null) throw apiError('recoveryCodeWrong');
    return id;
  });

  const remaining = tried.remaining - 1;
  const audit = [auditEntry(user, 'recovery_codes_verified', { factor_id: tried.id, remaining })];
  const verified = {
    ...{ factorId: tried.id, userId: user.id, sessionId, challengeId: null, recoveryCodeId },
    ...{ method: RECOVERY_METHOD, step: null, credential: null, audit: storedAudit(app, audit) },
  };
  const notices = await prepareFactorNotice(app, client, user, 'mfa_recovery_code_used_notification', 'recovery_code', {
    remainingCodes: remaining,
  });
  const write = noting(app, user.id, notices, (db) => verifyFactor(db, verified));
  const opened = await signInWithClaims(app, client, write, true);
  // Another request has spent the code, or the session has ended.
  if (opened === undefined) throw apiError('recoveryCodeWrong');
  app.factorCounts.count('recovery_code', 'ok');
  logAudit(app, client.requestId, audit);
  return issueTokens(app, opened);
}

/** Codes that supabase/auth generated have an Argon2id hash each, at most sixteen. */
async function findImported(app: App, { imported }: TriedCode, code: string): Promise<string | null> {
  for (const { id, hash } of imported ?? []) {
    if ((await app.crypto.verifyPassword(code, hash)).matches) return id;
  }
  return null;
}
