/** How often codes of second factors may be tried. */
import { type ChallengeKey, type TriedChallenge, tryChallenge } from '../../db/factors.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { isSameNetwork } from './networks.js';

/** Of one challenge. */
const TRIES = 10;
/** In a row, of all challenges of a user. */
const FREE_TRIES = 10;
const FIRST_DELAY_SECONDS = 1;
const LONGEST_DELAY_SECONDS = 900;
const FORGET_AFTER_SECONDS = 10_800;

/**
 * Takes a try before the code is checked: a code that is one of a million must not be guessed by many parallel requests.
 * A right code gives all tries of the user back.
 * @param ip address of the client
 * @throws ApiError challengeNotFound, challengeUsed, challengeAddress, challengeExpired, factorThrottled
 */
export async function takeTry(
  app: Pick<App, 'config' | 'db'>,
  key: ChallengeKey,
  ip: string | null,
): Promise<TriedChallenge> {
  const tried = await tryChallenge(app.db, key, {
    validSeconds: app.config.mfaChallengeExpirySeconds,
    tries: TRIES,
    freeTries: app.config.securityMfaThrottle ? FREE_TRIES : null,
    firstDelaySeconds: FIRST_DELAY_SECONDS,
    longestDelaySeconds: LONGEST_DELAY_SECONDS,
    forgetAfterSeconds: FORGET_AFTER_SECONDS,
  });
  if (tried === undefined) throw apiError('challengeNotFound');
  const id = key.challengeId;
  if (tried.is_used) throw apiError('challengeUsed', { id });
  if (app.config.mfaChallengeCheckAddress && !isSameNetwork(tried.ip, ip)) throw apiError('challengeAddress');
  if (tried.is_expired) throw apiError('challengeExpired', { id });
  if (tried.wait_seconds > 0) {
    const seconds = Math.max(1, Math.ceil(tried.wait_seconds));
    throw apiError('factorThrottled', { seconds }, { limit: 'factor_tries', retryAfterSeconds: seconds });
  }
  if (!tried.has_try) throw apiError('challengeUsed', { id });
  return tried;
}
