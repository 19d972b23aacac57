import type { ContactIdentity } from '../../db/admin-users.js';

/** Builds the identities of the given addresses. */
export function contactIdentities(
  userId: string,
  { email, phone }: { email: string | null; phone: string | null },
  verified: { email: boolean; phone: boolean },
): ContactIdentity[] {
  const identities: ContactIdentity[] = [];
  if (email !== null) {
    const flags = { email_verified: verified.email, phone_verified: false };
    identities.push({ provider: 'email', identity_data: { sub: userId, email, ...flags } });
  }
  if (phone !== null) {
    const flags = { email_verified: false, phone_verified: verified.phone };
    identities.push({ provider: 'phone', identity_data: { sub: userId, phone, ...flags } });
  }
  return identities;
}
