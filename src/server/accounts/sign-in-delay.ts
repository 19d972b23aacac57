/**
 * The growing delay after wrong passwords (decisions.md 16, SEC-49): none for the first ten in a row, then 5 s, doubling
 * to 15 minutes; a right password ends it. Counted by address, not by account: an address nobody holds is delayed like any
 * other, and an address and a number of one account are not told to belong together.
 */
import { createHash } from 'node:crypto';
import { countSignInFailure, readSignInDelay } from '../../db/sign-in-failures.js';
import type { Channel } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';

/** @returns who failures at an address are counted for; null while AUTH_SECURITY_LOGIN_THROTTLE is off */
export function signInFailureKey(app: Pick<App, 'config'>, channel: Channel, address: string): string | null {
  if (!app.config.securityLoginThrottle) return null;
  return createHash('sha256').update(`${channel}\0${address}`).digest('base64url');
}

/** @throws Refusal signInThrottled, when there is anything to wait for */
export function assertNotDelayed(waitSeconds: number): void {
  if (waitSeconds <= 0) return;
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  throw refuse('signInThrottled', { seconds }, { limit: 'sign_in', retryAfterSeconds: seconds });
}

/** Looks whether a delay runs now. @throws Refusal signInThrottled */
export async function assertNoDelay(app: Pick<App, 'db'>, key: string | null): Promise<void> {
  if (key !== null) assertNotDelayed(await readSignInDelay(app.db, key));
}

/**
 * Counts a password that did not open the account. During a delay, also one that began beside this try, the answer is
 * the delay: a guess is worth nothing then, so that a hundred at once are no more than ten.
 * @throws Refusal signInThrottled
 */
export async function countWrongPassword(app: Pick<App, 'db'>, key: string | null): Promise<void> {
  if (key === null) return;
  const { is_throttled, wait_seconds } = await countSignInFailure(app.db, key);
  if (is_throttled) assertNotDelayed(Math.max(1, wait_seconds));
}
