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
 * @param headers `headers()` of the same request: limits, notices and lists of sessions are about the browser, not this server
 */
export function openAuth(jar, headers) {
  const address = headers.get('x-forwarded-for')?.split(',')[0].trim() ?? '';
  const device = headers.get('user-agent') ?? '';
  return new AuthClient({
    url: latchkeyUrl,
    headers: { 'X-Real-IP': address, 'X-Forwarded-For': address, 'User-Agent': device },
    storage: cookieStorage(jar),
    userStorage: nowhere,
    storageKey: SESSION_KEY,
    flowType: 'pkce',
    autoRefreshToken: false,
    detectSessionInUrl: false,
    skipAutoInitialize: true,
  });
}
