import { NextResponse } from 'next/server';
import { openAuth } from './lib/auth.js';

/** Renews the session before a page is made, since pages cannot set cookies. */
export async function proxy(request) {
  const changes = [];
  const jar = {
    get: (name) => request.cookies.get(name),
    getAll: () => request.cookies.getAll(),
    set(name, value, options) {
      request.cookies.set(name, value);
      changes.push({ ...options, name, value });
    },
    delete(name) {
      request.cookies.delete(name);
      changes.push({ name, value: '', path: '/', maxAge: 0 });
    },
  };
  // Asks Latchkey only in the last 90 seconds of the access token.
  await openAuth(jar, request.headers).getSession();
  // The page gets the changed cookies, and so does the browser.
  const response = NextResponse.next({ request });
  for (const change of changes) response.cookies.set(change);
  if (changes.length > 0) response.headers.set('Cache-Control', 'private, no-store');
  return response;
}

export const config = { matcher: '/((?!_next/static|_next/image|favicon.ico).*)' };
