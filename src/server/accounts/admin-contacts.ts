import type { ContactIdentity } from '../../db/admin-users.js';
import type { AdminCaller } from './caller.js';

/** Who acts, as far as the audit log is concerned. */
export type Operator = Pick<AdminCaller, 'role' | 'subject'>;

/** The identities of addresses an operator has set (operations.md 1.4, 1.7). */
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
