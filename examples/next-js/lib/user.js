import { createRemoteJWKSet, jwtVerify } from 'jose';
import { cookies } from 'next/headers';
import { cache } from 'react';
import { SESSION_KEY } from './auth.js';
import { cookieStorage } from './session-cookies.js';
import { latchkeyUrl } from './settings.js';

const keys = createRemoteJWKSet(new URL(`${latchkeyUrl}/.well-known/jwks.json`));

/**
 * Who is signed in, for pages. It changes no cookie and asks no server: the signature of the access token is checked with the
 * public keys, which are fetched once.
 * @returns the claims and the access token, or null
 */
export const readUser = cache(async () => {
  const stored = cookieStorage(await cookies()).getItem(SESSION_KEY);
  try {
    const { access_token: token } = JSON.parse(stored);
    const { payload } = await jwtVerify(token, keys, { audience: 'authenticated' });
    // The token of an OAuth client acts for a user, and is not a sign-in here.
    return payload.client_id === undefined ? { ...payload, token } : null;
  } catch {
    return null;
  }
});
