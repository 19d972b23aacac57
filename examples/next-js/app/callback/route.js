import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { openAuth } from '../../lib/auth.js';

/** Where a sign-in on pages of others, or the link of a mail, comes back with a code. */
export async function GET(request) {
  const code = request.nextUrl.searchParams.get('code');
  if (code === null) redirect('/sign-in?failed');
  const auth = openAuth(await cookies(), await headers());
  // Needs the proof of PKCE, which is in a cookie of the browser that began.
  const { error } = await auth.exchangeCodeForSession(code);
  redirect(error === null ? '/account' : '/sign-in?failed');
}
