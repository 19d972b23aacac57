/** Users who must have a second factor (docs/mfa.md, Policies). */
import type { UserRow } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import { hasVerifiedFactor } from './assurance.js';

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
  return hasVerifiedFactor(user) || nowSeconds >= Date.parse(user.created_at) / 1000 + mfaRequiredGraceSeconds;
}
