'use server';

import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { openAuth } from '../lib/auth.js';
import { appUrl } from '../lib/settings.js';

const openHere = async () => openAuth(await cookies(), await headers());

/** @returns what the form shows again, and what went wrong */
export async function signIn(_previous, form) {
  const auth = await openHere();
  const credentials = { email: String(form.get('email')), password: String(form.get('password')) };
  const { data, error } =
    form.get('action') === 'sign-up'
      ? await auth.signUp({ ...credentials, options: { emailRedirectTo: `${appUrl}/callback` } })
      : await auth.signInWithPassword(credentials);
  const { email } = credentials;
  if (error) return { email, message: error.message };
  if (data.session === null) return { email, message: 'We have sent you a mail. Open its link in this browser.' };
  redirect('/account');
}

/** Leads to the sign-in pages of Latchkey, which come back to /callback. */
export async function signInOnPages() {
  const auth = await openHere();
  const { data } = await auth.signInWithOAuth({
    provider: 'custom:hosted',
    options: { redirectTo: `${appUrl}/callback`, skipBrowserRedirect: true },
  });
  redirect(data.url);
}

/** Ends this session; those of other browsers go on. */
export async function signOut() {
  const auth = await openHere();
  await auth.signOut({ scope: 'local' });
  redirect('/');
}
