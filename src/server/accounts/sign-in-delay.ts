/**
 * The growing delay after wrong passwords (decisions.md 16, SEC-49): none for the first ten in a row, then 5 s, doubling
 * to 15 minutes; a right password ends it. Counted by address, not by account: an address nobody holds is delayed like any
 * other, and an address and a number of one account are not told to belong together.
 */
import { createHash } from 'node:crypto';
import { countSignInFailure } from '../../db/sign-in-failures.js';
import type { Channel } from '../../db/users.js';
import type { App } from '../app.js';
import { type Refusal, refuse } from '../errors.js';

/** @returns who failures at an address are counted for; null while AUTH_SECURITY_LOGIN_THROTTLE is off */
export function signInFailureKey(app: Pick<App, 'config'>, channel: Channel, address: string): string | null {
  if (!app.config.securityLoginThrottle) return null;
  return createHash('sha256').update(`${channel}\0${address}`).digest('base64url');
}

/** @throws Refusal signInThrottled */
export function assertNotDelayed(waitSeconds: number): void {
  if (waitSeconds > 0) throw delayed(waitSeconds);
}

/**
 * Counts a password that did not open the account. During a delay, also one that began beside this try, the answer is
 * the delay: a guess is worth nothing then, so that a hundred at once are no more than ten.
 * @returns what to throw: invalidLogin or signInThrottled
 */
export async function refuseFailure(app: Pick<App, 'db'>, key: string | null): Promise<Refusal> {
  if (key === null) return refuse('invalidLogin');
  const { is_throttled, wait_seconds } = await countSignInFailure(app.db, key);
  return is_throttled ? delayed(wait_seconds) : refuse('invalidLogin');
}

function delayed(waitSeconds: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  return refuse('signInThrottled', { seconds }, { limit: 'sign_in', retryAfterSeconds: seconds });
}
