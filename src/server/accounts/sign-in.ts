import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { endSessions } from '../../db/log-outs.js';
import type { Channel } from '../../db/user-rows.js';
import { findSignInCandidate, type SignInCandidate } from '../../db/users.js';
import { apiError } from '../errors.js';
import { reportLeakedPassword } from '../notices/leaked-password.js';
import type { App, Client } from '../runtime/app.js';
import { LEAKED_PASSWORD_METHOD } from '../sessions/caller.js';
import { openSession, type TokenResponse } from '../sessions/open.js';
import { spellEmail, stripPhone } from './addresses.js';
import { auditEntry } from './audit.js';
import { assertSignsInHere } from './company-domains.js';
import { findWeaknessAtSignIn, isTooLong } from './passwords.js';
import { assertNoDelay, assertNotDelayed, countWrongPassword, deriveFailureKey } from './sign-in-delay.js';

interface PasswordGrant {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly audience: string;
}

/**
 * The password grant. Unknown addresses, missing passwords, banned and unconfirmed accounts all cost one hash, and
 * their state shows only after the right password (SEC-47). Wrong passwords are counted per address after the check:
 * counting before would reject users who sign in from many devices at once.
 * @throws ApiError invalidLogin, signInThrottled, loginBanned, emailNotConfirmed …; overloaded before any query when
 *   the hash queue is full
 */
export async function signInWithPassword(
  app: App,
  client: Client,
  grant: PasswordGrant,
): Promise<TokenResponse & { weak_password: unknown }> {
  if (grant.email && grant.phone) throw apiError('oneContactOnLogin');
  if (grant.email && !app.config.externalEmailEnabled) throw apiError('emailLoginDisabled');
  if (grant.phone && !app.config.externalPhoneEnabled) throw apiError('phoneLoginDisabled');
  if (!grant.email && !grant.phone) throw apiError('contactMissing');
  if (isTooLong(grant.password)) throw apiError('invalidLogin', {}, { about: { reason: 'password_too_long' } });

  const channel: Channel = grant.email ? 'email' : 'phone';
  const address = channel === 'email' ? spellEmail(grant.email) : stripPhone(grant.phone);
  if (channel === 'email') await assertSignsInHere(app, address);
  const failureKey = deriveFailureKey(app, channel, address);
  const { user, check } = await app.crypto.withHashSlot(async (hashing) => {
    // For every address, so that all take the same time.
    const decoyKind = await app.decoyKinds.kindFor(channel, address);
    const { user, waitSeconds } = await findSignInCandidate(app.db, channel, address, grant.audience, failureKey);
    assertNotDelayed(waitSeconds, user?.id);
    return { user, check: await hashing.verifyPassword(grant.password, user?.password_hash ?? null, decoyKind) };
  });
  if (user === undefined || !check.matches) {
    reportFailure(app, client, channel, user);
    await countWrongPassword(app, failureKey, user?.id);
    if (user !== undefined) await askHook(app, client, user, false);
    throw apiError('invalidLogin', {}, { about: { userId: user?.id, reason: reasonOf(user) } });
  }
  // Concurrent wrong passwords may have started a delay; then the answer must not reveal that this one is right.
  const about = { userId: user.id };
  if (user.is_banned || !user.is_confirmed) await assertNoDelay(app, failureKey, user.id);
  if (user.is_banned) throw apiError('loginBanned', {}, { about });
  if (app.hooks.passwordVerification !== null) {
    await assertNoDelay(app, failureKey, user.id);
    await askHook(app, client, user, true);
  }
  if (!user.is_confirmed) {
    throw apiError(channel === 'email' ? 'emailNotConfirmed' : 'phoneNotConfirmed', {}, { about });
  }

  const findOwnWeakness = () =>
    findWeaknessAtSignIn(app, grant.password, { ...user, user_metadata: { full_name: user.full_name } });
  const mayLimit = app.passwords.leaked !== null && app.config.leakedPasswordAction === 'require_reset';
  // Otherwise the time of the look-up would show during a delay that the password is right.
  if (mayLimit) await assertNoDelay(app, failureKey, user.id);
  const limiting = mayLimit ? await findOwnWeakness() : null;
  const tokens = await openSession(app, client, {
    userId: user.id,
    checkedHash: user.password_hash,
    renewedHash: check.renewedHash,
    method: limiting?.reasons.includes('pwned') ? LEAKED_PASSWORD_METHOD : 'password',
    failureKey,
    audit: [auditEntry({ ...user, fullName: user.full_name }, 'login', { provider: channel })],
  });
  if (tokens === undefined) return rejectSignIn(app, failureKey, user.id);
  const weakness = mayLimit ? limiting : await findOwnWeakness();
  if (weakness?.reasons.includes('pwned') && user.password_hash !== null) {
    const leaked = { userId: user.id, checkedHash: user.password_hash, renewedHash: check.renewedHash };
    await reportLeakedPassword(app, client, leaked);
  }
  return { ...tokens, weak_password: weakness };
}

/** Only the records of the console tell it. */
function reasonOf(user: SignInCandidate | undefined): string {
  if (user === undefined) return 'no_account';
  return user.password_hash === null ? 'no_password' : 'wrong_password';
}

/** Whether the address has an account shows only in the event. */
function reportFailure(app: App, client: Client, channel: Channel, user: SignInCandidate | undefined): void {
  const origin = { request_id: client.requestId, ip: client.ip, actor: { type: 'unknown' } } as const;
  app.events.recordFailedSignIn(user?.id ?? null, channel, origin);
}

/**
 * The hook password_verification_attempt, for an account with a password that is not banned.
 * @throws ApiError passwordAttemptRejected, and those of the hook
 */
async function askHook(app: App, client: Client, user: SignInCandidate, isValid: boolean): Promise<void> {
  const hook = app.hooks.passwordVerification;
  if (hook === null || user.password_hash === null || user.is_banned) return;
  const rejection = await hook.decide({ userId: user.id, isValid, ip: client.ip });
  if (rejection === null) return;
  if (rejection.endsSessions) {
    await withLockedUser(app.db, user.id, async (statements) => {
      await endFlows(statements, user.id);
      await endSessions(statements, user.id, null, 'global', []);
    });
  }
  throw apiError('passwordAttemptRejected', {
    message: rejection.message || 'Further password verification attempts will be rejected.',
  });
}

async function rejectSignIn(app: App, failureKey: string | null, userId: string): Promise<never> {
  await countWrongPassword(app, failureKey, userId);
  throw apiError('invalidLogin', {}, { about: { userId, reason: 'changed_meanwhile' } });
}
