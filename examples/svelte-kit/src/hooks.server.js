import { openAuth, verifyToken } from '$lib/server/auth.js';

/** Before every page and action: renews the session, if it is about to expire, and says who is signed in. */
export async function handle({ event, resolve }) {
  const auth = openAuth(event);
  // Asks Latchkey only in the last 90 seconds of the access token.
  const { data } = await auth.getSession();
  const token = data.session?.access_token ?? null;
  event.locals.auth = auth;
  event.locals.token = token;
  event.locals.user = token === null ? null : await verifyToken(token);
  const response = await resolve(event);
  if (data.session !== null) response.headers.set('Cache-Control', 'private, no-store');
  return response;
}
