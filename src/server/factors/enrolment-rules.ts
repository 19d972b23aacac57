import type { EnrolledFactor } from '../../db/factors.js';
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';

/**
 * Asserts that a user may have one more factor, of this name. An empty name is one like any other.
 * @throws ApiError factorNameTaken, tooManyFactors
 */
export function assertRoomForFactor(
  config: Pick<Config, 'mfaMaxEnrolledFactors' | 'mfaMaxVerifiedFactors'>,
  factors: readonly EnrolledFactor[],
  friendlyName: string,
): void {
  if (factors.some(({ friendly_name }) => friendly_name === friendlyName)) {
    throw apiError('factorNameTaken', { name: JSON.stringify(friendlyName) });
  }
  const verified = factors.filter(({ status }) => status === 'verified');
  if (factors.length >= config.mfaMaxEnrolledFactors || verified.length >= config.mfaMaxVerifiedFactors) {
    throw apiError('tooManyFactors');
  }
}
