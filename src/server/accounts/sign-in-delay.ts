/**
 * The delay after wrong passwords (docs/decisions.md, Wrong passwords; SEC-49): none for the first ten in a row, then
 * 5 s, doubling up to 15 minutes; a right password resets it. Failures are counted per address, so that delays reveal
 * neither which addresses have accounts nor which email and phone belong together.
 */
import { createHash } from 'node:crypto';
import { countSignInFailure, readSignInDelay } from '../../db/sign-in-failures.js';
import type { Channel } from '../../db/user-rows.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/** @returns the key that failures are counted by; null while AUTH_SECURITY_LOGIN_THROTTLE is off */
export function deriveFailureKey(app: Pick<App, 'config'>, channel: Channel, address: string): string | null {
  if (!app.config.securityLoginThrottle) return null;
  return createHash('sha256').update(`${channel}\0${address}`).digest('base64url');
}

/**
 * @param userId whom the refusal is about
 * @throws ApiError signInThrottled if `waitSeconds` is positive
 */
export function assertNotDelayed(waitSeconds: number, userId?: string): void {
  if (waitSeconds <= 0) return;
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  throw apiError('signInThrottled', { seconds }, { limit: 'sign_in', retryAfterSeconds: seconds, about: { userId } });
}

/** @throws ApiError signInThrottled during a delay */
export async function assertNoDelay(app: Pick<App, 'db'>, key: string | null, userId?: string): Promise<void> {
  if (key !== null) assertNotDelayed(await readSignInDelay(app.db, key), userId);
}

/**
 * Counts a failed sign-in. During a delay, also one that a concurrent attempt started, the delay is the answer. So a
 * hundred concurrent guesses yield no more than ten.
 * @throws ApiError signInThrottled
 */
export async function countWrongPassword(app: Pick<App, 'db'>, key: string | null, userId?: string): Promise<void> {
  if (key === null) return;
  const { is_throttled, wait_seconds } = await countSignInFailure(app.db, key);
  if (is_throttled) assertNotDelayed(Math.max(1, wait_seconds), userId);
}
