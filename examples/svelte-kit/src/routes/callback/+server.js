import { redirect } from '@sveltejs/kit';

/** Where a sign-in on pages of others, or the link of a mail, comes back with a code. */
export async function GET({ locals, url }) {
  const code = url.searchParams.get('code');
  if (code === null) redirect(303, '/sign-in?failed');
  // Needs the proof of PKCE, which is in a cookie of the browser that began.
  const { error } = await locals.auth.exchangeCodeForSession(code);
  redirect(303, error === null ? '/account' : '/sign-in?failed');
}
