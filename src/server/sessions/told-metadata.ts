import { isEmailProven, isPhoneProven, type Metadata, type UserRow } from '../../db/user-rows.js';

/**
 * The metadata as OAuth clients and the hook custom_access_token see it. A sign-up with autoconfirm sets `email_verified`
 * in it, and users may set it themselves; others see it true only for an address that was proven.
 * @returns the same object where nothing differs
 */
export function toldMetadata(user: Readonly<UserRow>): Metadata {
  const { user_metadata: own } = user;
  const claimsEmail = isClaimed(own['email_verified']) && !isEmailProven(user);
  const claimsPhone = isClaimed(own['phone_verified']) && !isPhoneProven(user);
  if (!claimsEmail && !claimsPhone) return own;
  return { ...own, ...(claimsEmail && { email_verified: false }), ...(claimsPhone && { phone_verified: false }) };
}

const isClaimed = (flag: unknown): boolean => flag !== undefined && flag !== false && flag !== null;
