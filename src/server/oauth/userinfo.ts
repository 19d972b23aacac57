/** The userinfo endpoint (OpenID Connect Core 5.3). */
import type { UserCaller } from '../sessions/caller.js';
import { emailClaims, profileClaims } from './profile-claims.js';

/** By the scopes of the token; a token without any, as that of a user's own session, learns only the id. */
export function renderUserinfo({ user, claims }: UserCaller): Record<string, unknown> {
  const scopes = typeof claims['scope'] === 'string' ? claims['scope'].split(' ') : [];
  const { email, email_verified } = emailClaims(user) as { email?: string; email_verified?: boolean };
  const { phone, phone_confirmed_at } = user;
  return {
    sub: user.id,
    ...(scopes.includes('email') && email !== undefined && { email, ...(email_verified && { email_verified }) }),
    ...(scopes.includes('profile') && { ...profileClaims(user), user_metadata: user.user_metadata }),
    // The names of supabase/auth, and those of OpenID Connect Core 5.1.
    ...(scopes.includes('phone') &&
      phone && {
        phone,
        phone_verified: phone_confirmed_at !== null,
        phone_number: phone,
        phone_number_verified: phone_confirmed_at !== null,
      }),
  };
}
