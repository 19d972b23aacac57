import { AuthClient } from '@supabase/auth-js';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { env } from '$env/dynamic/private';
import { cookieStorage } from './session-cookies.js';

const latchkeyUrl = env.LATCHKEY_URL ?? 'http://localhost:8081';
const keys = createRemoteJWKSet(new URL(`${latchkeyUrl}/.well-known/jwks.json`));

/** The user is read from the access token, and needs no place in a cookie. */
const nowhere = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

/** @returns a client whose session is in the cookies of this request */
export function openAuth({ cookies, getClientAddress, request }) {
  const address = getClientAddress();
  const device = request.headers.get('user-agent') ?? '';
  return new AuthClient({
    url: latchkeyUrl,
    // Limits, notices and lists of sessions are about the browser, not this server.
    headers: { 'X-Real-IP': address, 'X-Forwarded-For': address, 'User-Agent': device },
    storage: cookieStorage(cookies),
    userStorage: nowhere,
    storageKey: 'session',
    flowType: 'pkce',
    autoRefreshToken: false,
    detectSessionInUrl: false,
    skipAutoInitialize: true,
  });
}

/** @returns the claims of an access token, if it is one of a user who signed in, or null */
export async function verifyToken(token) {
  try {
    const { payload } = await jwtVerify(token, keys, { audience: 'authenticated' });
    // The token of an OAuth client acts for a user, and is not a sign-in here.
    return payload.client_id === undefined ? payload : null;
  } catch {
    return null;
  }
}
