/** A page that registers passkeys and signs in with them, by the client's own methods. */

export const passkeyPage = `<!doctype html>
<title>Passkeys</title>
<p id="who">signed out</p>
<p id="problem"></p>
<input id="name" autocomplete="username webauthn">
<button id="register">Add a passkey</button> <button id="sign-in">Sign in</button> <button id="sign-out">Sign out</button>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  const [, port, email, password] = location.pathname.slice(1).split('/').map(decodeURIComponent);
  const show = (id, text) => { document.getElementById(id).textContent = text };
  const url = 'http://localhost:' + port;
  const client = new AuthClient({ url, autoRefreshToken: false, experimental: { passkey: true } });
  const report = ({ data, error }) => {
    show('problem', error ? error.message : '');
    return error ? null : data;
  };
  const showUser = async () => {
    const { data } = await client.getSession();
    const claims = data.session && JSON.parse(atob(data.session.access_token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
    show('who', claims ? claims.email + ' by ' + claims.amr[0].method : 'signed out');
  };
  if (email) report(await client.signInWithPassword({ email, password }));
  await showUser();
  const on = (id, work) => { document.getElementById(id).onclick = async () => { await work(); await showUser() } };
  on('register', async () => {
    const passkey = report(await client.registerPasskey());
    if (passkey) show('problem', 'added ' + passkey.friendly_name);
  });
  on('sign-in', async () => report(await client.signInWithPasskey()));
  on('sign-out', () => client.signOut({ scope: 'local' }));
  // Of releases that know \`mediation\`.
  window.signInByAutofill = async () => {
    report(await client.signInWithPasskey({ options: { mediation: 'conditional' } }));
    await showUser();
  };
  window.listPasskeys = async () => (await client.passkey.list()).data;
  window.offerAutofill = async () => {
    const response = await fetch(url + '/passkeys/authentication/options', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ mediation: 'conditional' }),
    });
    const { challenge_id: challengeId, options, expires_at } = await response.json();
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({ publicKey, mediation: 'conditional' });
    report(await client.passkey.verifyAuthentication({ challengeId, credential: credential.toJSON() }));
    await showUser();
    return expires_at - Date.now() / 1000;
  };
</script>`;
