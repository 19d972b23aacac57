import { AuthClient } from '@supabase/auth-js';

const latchkeyUrl = 'http://localhost:8081';

/** Keeps the session in localStorage, renews it in time, and reads the code when a sign-in comes back to this page. */
const auth = new AuthClient({ url: latchkeyUrl, flowType: 'pkce', storageKey: 'session' });

const element = (id) => document.getElementById(id);

function show(session) {
  element('signed-out').hidden = session !== null;
  element('signed-in').hidden = session === null;
  element('email').textContent = session?.user.email ?? '';
}

/** Shows what went wrong, if anything did. */
async function attempt(work) {
  const { data, error } = await work;
  element('problem').textContent = error?.message ?? '';
  return error ? null : data;
}

// Also when another tab signs in or out.
auth.onAuthStateChange((_event, session) => show(session));
await attempt(auth.initialize().then(({ error }) => ({ data: null, error })));

let email = '';

element('ask').onsubmit = async (event) => {
  event.preventDefault();
  email = new FormData(event.target).get('email');
  const sent = await attempt(auth.signInWithOtp({ email, options: { emailRedirectTo: location.origin } }));
  element('answer').hidden = sent === null;
};

element('answer').onsubmit = async (event) => {
  event.preventDefault();
  const token = new FormData(event.target).get('code').trim();
  await attempt(auth.verifyOtp({ email, token, type: 'email' }));
};

element('pages').onclick = () =>
  attempt(auth.signInWithOAuth({ provider: 'custom:hosted', options: { redirectTo: location.origin } }));

element('call').onclick = async () => {
  // Renewed before, if it is about to expire.
  const { data } = await auth.getSession();
  const headers = { Authorization: `Bearer ${data.session?.access_token}` };
  const response = await fetch(`${latchkeyUrl}/user`, { headers });
  const { id, msg } = await response.json();
  element('reply').textContent = response.ok ? `You are ${id}` : msg;
};

// The session of this browser only; without the scope, it would be all sessions of the user.
element('sign-out').onclick = () =>
  attempt(auth.signOut({ scope: 'local' }).then(({ error }) => ({ data: null, error })));
