/** A page that registers a security key as second factor, and verifies with it, by the client's own methods. */

export const factorPage = `<!doctype html>
<title>Second factors</title>
<p id="level">signed out</p>
<p id="problem"></p>
<button id="sign-in">Sign in</button> <button id="register">Add a security key</button>
<button id="authenticate">Use a security key</button> <button id="sign-out">Sign out</button>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  const [, port, email, password] = location.pathname.slice(1).split('/').map(decodeURIComponent);
  const show = (id, text) => { document.getElementById(id).textContent = text };
  const client = new AuthClient({ url: 'http://localhost:' + port, autoRefreshToken: false });
  const events = [];
  client.onAuthStateChange((event) => void events.push(event));
  const report = ({ data, error }) => {
    show('problem', error ? error.name + ': ' + error.message : '');
    return error ? null : data;
  };
  const showLevel = async () => {
    const { data } = await client.mfa.getAuthenticatorAssuranceLevel();
    const methods = (data.currentAuthenticationMethods ?? []).map(({ method }) => method).join(', ');
    show('level', data.currentLevel ? data.currentLevel + ' of ' + data.nextLevel + ' by ' + methods : 'signed out');
  };
  const on = (id, work) => { document.getElementById(id).onclick = async () => { report(await work()); await showLevel() } };
  on('sign-in', () => client.signInWithPassword({ email, password }));
  on('register', () => client.mfa.webauthn.register({ friendlyName: 'Blue key' }));
  on('authenticate', async () => {
    const { data } = await client.mfa.listFactors();
    return client.mfa.webauthn.authenticate({ factorId: data.webauthn[0].id });
  });
  on('sign-out', () => client.signOut({ scope: 'local' }));
  window.lastEvent = () => events.at(-1);
  window.listFactors = async () => (await client.mfa.listFactors()).data;
  await showLevel();
</script>`;
