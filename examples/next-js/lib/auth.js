import { AuthClient } from '@supabase/auth-js';
import { cookieStorage } from './session-cookies.js';
import { latchkeyUrl } from './settings.js';

export const SESSION_KEY = 'session';

/** The user is read from the access token, and needs no place in a cookie. */
const nowhere = { getItem: () => null, setItem: () => {}, removeItem: () => {} };

/**
 * A client whose session is in cookies. It may renew the session, so it is for places that can set cookies: proxy.js, actions and
 * route handlers, not pages.
 * @param jar `cookies()`
 * @param headers `headers()` of the same request: limits count by the address of the browser, not by that of this server
 */
export function openAuth(jar, headers) {
  const address = headers.get('x-forwarded-for')?.split(',')[0].trim();
  return new AuthClient({
    url: latchkeyUrl,
    headers: address ? { 'X-Real-IP': address } : {},
    storage: cookieStorage(jar),
    userStorage: nowhere,
    storageKey: SESSION_KEY,
    flowType: 'pkce',
    autoRefreshToken: false,
    detectSessionInUrl: false,
    skipAutoInitialize: true,
  });
}
