import { type Channel, findSignInCandidate } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { lowerAscii, stripPhone } from './addresses.js';
import { auditEntry } from './audit.js';
import { findWeakness, isTooLong } from './passwords.js';
import { openSession, type TokenResponse } from './sessions.js';
import { assertNoDelay, assertNotDelayed, countWrongPassword, signInFailureKey } from './sign-in-delay.js';

export interface PasswordGrant {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly audience: string;
}

/**
 * The password grant. An unknown address, a missing password, a banned and an unconfirmed account all cost one hash, of a
 * kind the address is likely to have, and their state shows only after the right password (SEC-47). Wrong passwords are counted by address once they are
 * known to be wrong: counting before would turn away a person who signs in from many places at once.
 * @throws Refusal as reference/core.md 4.3; signInThrottled; overloaded before any database work when the pool is full
 */
export async function signInWithPassword(
  app: App,
  client: Client,
  grant: PasswordGrant,
): Promise<TokenResponse & { weak_password: unknown }> {
  if (grant.email && grant.phone) throw refuse('oneContactOnLogin');
  if (grant.email && !app.config.externalEmailEnabled) throw refuse('emailLoginDisabled');
  if (grant.phone && !app.config.externalPhoneEnabled) throw refuse('phoneLoginDisabled');
  if (!grant.email && !grant.phone) throw refuse('contactMissing');
  if (isTooLong(grant.password)) throw refuse('invalidLogin');

  const channel: Channel = grant.email ? 'email' : 'phone';
  const address = channel === 'email' ? lowerAscii(grant.email) : stripPhone(grant.phone);
  const failureKey = signInFailureKey(app, channel, address);
  const { user, check } = await app.crypto.withHashPlace(async (hashing) => {
    // For every address, so that those with a hash take the same time.
    const decoyKind = await app.decoyKinds.kindFor(channel, address);
    const { user, waitSeconds } = await findSignInCandidate(app.db, channel, address, grant.audience, failureKey);
    assertNotDelayed(waitSeconds);
    return { user, check: await hashing.verifyPassword(grant.password, user?.password_hash ?? null, decoyKind) };
  });
  if (user === undefined || !check.matches) return refuseSignIn(app, failureKey);
  // Wrong passwords beside this one may have brought a delay; then not even a right one may be told by its answer.
  if (user.is_banned || !user.is_confirmed) await assertNoDelay(app, failureKey);
  if (user.is_banned) throw refuse('loginBanned');
  if (!user.is_confirmed) throw refuse(channel === 'email' ? 'emailNotConfirmed' : 'phoneNotConfirmed');

  const tokens = await openSession(app, client, {
    userId: user.id,
    checkedHash: user.password_hash,
    renewedHash: check.renewedHash,
    method: 'password',
    failureKey,
    audit: [auditEntry({ ...user, fullName: user.full_name }, 'login', { provider: channel })],
  });
  if (tokens === undefined) return refuseSignIn(app, failureKey);
  return { ...tokens, weak_password: findWeakness(grant.password, app.config) };
}

async function refuseSignIn(app: App, failureKey: string | null): Promise<never> {
  await countWrongPassword(app, failureKey);
  throw refuse('invalidLogin');
}
