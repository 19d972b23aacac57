import { fail, redirect } from '@sveltejs/kit';

export function load({ locals, url }) {
  if (locals.user !== null) redirect(303, '/account');
  return { hasFailed: url.searchParams.has('failed') };
}

const readCredentials = async (request) => {
  const form = await request.formData();
  return { email: String(form.get('email')), password: String(form.get('password')) };
};

const refuse = (email, { message }) => fail(400, { email, message });

export const actions = {
  async signIn({ request, locals }) {
    const credentials = await readCredentials(request);
    const { error } = await locals.auth.signInWithPassword(credentials);
    if (error) return refuse(credentials.email, error);
    redirect(303, '/account');
  },

  async signUp({ request, locals, url }) {
    const credentials = await readCredentials(request);
    const options = { emailRedirectTo: `${url.origin}/callback` };
    const { data, error } = await locals.auth.signUp({ ...credentials, options });
    if (error) return refuse(credentials.email, error);
    if (data.session === null)
      return { email: credentials.email, message: 'We have sent you a mail. Open its link in this browser.' };
    redirect(303, '/account');
  },

  /** Leads to the sign-in pages of Latchkey, which come back to /callback. */
  async pages({ locals, url }) {
    const { data } = await locals.auth.signInWithOAuth({
      provider: 'custom:hosted',
      options: { redirectTo: `${url.origin}/callback`, skipBrowserRedirect: true },
    });
    redirect(303, data.url);
  },
};
