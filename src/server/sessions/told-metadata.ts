/** What others than the user see of its account: an address is verified only if it was proven. */
import { memoize } from '../../caching/memoize.js';
import { type IdentityRow, isEmailProven, isPhoneProven, type Metadata, type UserRow } from '../../db/user-rows.js';

/**
 * The metadata as OAuth clients and the hook custom_access_token see it. A sign-up with autoconfirm sets `email_verified`
 * in it, and users may set it themselves; others see it true only for an address that was proven.
 * @returns the same object where nothing differs
 */
export const toldMetadata = (user: Readonly<UserRow>): Metadata =>
  tellFlags(user.user_metadata, isEmailProven(user), isPhoneProven(user));

/**
 * The account as OAuth clients see it: addresses that were not proven are neither verified nor confirmed. Memoized per row,
 * so that its rendering is, too.
 * @returns the same row where nothing differs
 */
export const toldUser: (user: Readonly<UserRow>) => Readonly<UserRow> = memoize((user) => {
  const emailAt = isEmailProven(user) ? user.email_confirmed_at : null;
  const phoneAt = isPhoneProven(user) ? user.phone_confirmed_at : null;
  const metadata = toldMetadata(user);
  const identities = user.identities.map((identity) => tellIdentity(user, identity));
  const isSame =
    emailAt === user.email_confirmed_at &&
    phoneAt === user.phone_confirmed_at &&
    metadata === user.user_metadata &&
    identities.every((identity, index) => identity === user.identities[index]);
  if (isSame) return user;
  return {
    ...user,
    email_confirmed_at: emailAt,
    phone_confirmed_at: phoneAt,
    // The earlier of the two.
    confirmed_at: emailAt !== null && phoneAt !== null ? user.confirmed_at : (emailAt ?? phoneAt),
    user_metadata: metadata,
    identities,
  };
});

/** What a provider says of its own account stays. */
function tellIdentity(user: Readonly<UserRow>, identity: IdentityRow): IdentityRow {
  const { provider, identity_data: own } = identity;
  if (own === null || (provider !== 'email' && provider !== 'phone')) return identity;
  const isEmailVerified = isEmailProven(user) && identity.email === user.email;
  const told = tellFlags(own, isEmailVerified, isPhoneProven(user) && own['phone'] === user.phone);
  return told === own ? identity : { ...identity, identity_data: told };
}

function tellFlags(own: Metadata, isEmailVerified: boolean, isPhoneVerified: boolean): Metadata {
  const claimsEmail = isClaimed(own['email_verified']) && !isEmailVerified;
  const claimsPhone = isClaimed(own['phone_verified']) && !isPhoneVerified;
  if (!claimsEmail && !claimsPhone) return own;
  return { ...own, ...(claimsEmail && { email_verified: false }), ...(claimsPhone && { phone_verified: false }) };
}

const isClaimed = (flag: unknown): boolean => flag !== undefined && flag !== false && flag !== null;
