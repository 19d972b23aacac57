import { type AuthChangeEvent, AuthClient } from '@supabase/auth-js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('@supabase/auth-js, unchanged: sign up, sign in, refresh, update, sign out', async (t) => {
  const { url } = await openTestServer(t, { EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' });
  const newClient = () =>
    new AuthClient({ url, autoRefreshToken: false, persistSession: false, detectSessionInUrl: false });
  const client = newClient();
  const events: AuthChangeEvent[] = [];
  client.onAuthStateChange((event) => void events.push(event));

  const email = freshEmail();
  const password = 'correct horse battery';
  const signedUp = await client.signUp({ email, password, options: { data: { plan: 'pro' } } });
  t.equal(signedUp.error, null);
  t.equal(signedUp.data.user?.email, email);
  t.equal(signedUp.data.user?.user_metadata['plan'], 'pro');
  t.ok(signedUp.data.session?.access_token);

  const duplicate = await newClient().signUp({ email, password });
  t.match(duplicate.error, { name: 'AuthApiError', status: 422, code: 'user_already_exists' });

  const weak = await newClient().signUp({ email: freshEmail(), password: 'x' });
  t.match(weak.error, { name: 'AuthWeakPasswordError', code: 'weak_password', reasons: ['length'] });

  const wrong = await client.signInWithPassword({ email, password: 'wrong' });
  t.match(wrong.error, { status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' });

  const signedIn = await client.signInWithPassword({ email, password });
  t.equal(signedIn.error, null);
  t.ok((signedIn.data.session?.expires_at ?? 0) > Date.now() / 1000);

  const refreshed = await client.refreshSession();
  t.equal(refreshed.error, null);
  t.not(refreshed.data.session?.refresh_token, signedIn.data.session?.refresh_token);

  const user = await client.getUser();
  t.equal(user.data.user?.id, signedUp.data.user?.id);
  const claims = await client.getClaims();
  t.equal(claims.error, null);
  t.equal(claims.data?.claims.sub, signedUp.data.user?.id);

  const updated = await client.updateUser({ password: 'a new passphrase', data: { plan: 'free', seats: 2 } });
  t.equal(updated.error, null);
  t.match(updated.data.user?.user_metadata, { plan: 'free', seats: 2 });
  t.equal((await newClient().signInWithPassword({ email, password })).error?.code, 'invalid_credentials');
  t.equal((await newClient().signInWithPassword({ email, password: 'a new passphrase' })).error, null);

  const { refresh_token } = refreshed.data.session!;
  t.equal((await client.signOut()).error, null);
  t.equal((await client.getSession()).data.session, null);
  const dead = await newClient().refreshSession({ refresh_token });
  t.match(dead.error, { status: 400, code: 'refresh_token_not_found' });

  const guest = await newClient().signInAnonymously({ options: { data: { cart: 1 } } });
  t.equal(guest.error, null);
  t.equal(guest.data.user?.is_anonymous, true);

  t.match(events, ['INITIAL_SESSION', 'SIGNED_IN', 'SIGNED_IN', 'TOKEN_REFRESHED', 'USER_UPDATED', 'SIGNED_OUT']);
});
