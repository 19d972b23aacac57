import { redirect } from '@sveltejs/kit';
import { env } from '$env/dynamic/private';

export async function load({ locals, fetch }) {
  if (locals.user === null) redirect(303, '/sign-in');
  const apiUrl = env.API_URL ?? 'http://localhost:4001';
  const response = await fetch(`${apiUrl}/orders`, { headers: { Authorization: `Bearer ${locals.token}` } });
  return { email: locals.user.email, orders: response.ok ? await response.json() : [] };
}

export const actions = {
  /** Ends this session; those of other browsers go on. */
  async signOut({ locals }) {
    await locals.auth.signOut({ scope: 'local' });
    redirect(303, '/');
  },
};
