/** What a client may learn of a user by its scopes (OpenID Connect Core 5.4). */
import type { UserRow } from '../../db/user-rows.js';

export const emailClaims = ({ email, email_confirmed_at }: Readonly<UserRow>) =>
  email ? { email, email_verified: email_confirmed_at !== null } : {};

export const phoneClaims = ({ phone, phone_confirmed_at }: Readonly<UserRow>) =>
  phone ? { phone_number: phone, phone_number_verified: phone_confirmed_at !== null } : {};

/** Names come from user_metadata, else they are the address. */
export function profileClaims(user: Readonly<UserRow>) {
  const { user_metadata: metadata, email, phone } = user;
  const text = (key: string): string | undefined => {
    const value = metadata[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const name = text('name') ?? text('full_name') ?? email ?? phone ?? undefined;
  const picture = text('picture') ?? text('avatar_url');
  return {
    ...(name !== undefined && { name, preferred_username: text('preferred_username') ?? text('username') ?? name }),
    ...(picture !== undefined && { picture }),
    updated_at: Math.floor(Date.parse(user.updated_at) / 1000),
  };
}
