/** Users who must have a second factor (docs/mfa.md, Policies). */
import type { UserRow } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import { hasVerifiedFactor } from './verified-factor.js';

export type EnforcementSettings = Pick<Config, 'mfaRequired' | 'mfaRequiredGraceSeconds' | 'mfaPendingRole'>;

/**
 * Whether a session has to verify a second factor before it may do anything else. Users without one have some time to
 * enrol it; anonymous users cannot have one.
 * @param nowSeconds seconds since the epoch
 */
export function isFactorMissing(
  { mfaRequired, mfaRequiredGraceSeconds }: EnforcementSettings,
  user: Readonly<UserRow>,
  { aal }: { readonly aal: string },
  nowSeconds: number,
): boolean {
  const isRequired =
    user.app_metadata['mfa_required'] === true || mfaRequired.includes('all') || mfaRequired.includes(user.role);
  if (!isRequired || aal !== 'aal1' || user.is_anonymous) return false;
  // Without a grace period the clocks, of which that of the database may be ahead, do not matter.
  if (hasVerifiedFactor(user) || mfaRequiredGraceSeconds === 0) return true;
  return nowSeconds >= Date.parse(user.created_at) / 1000 + mfaRequiredGraceSeconds;
}
