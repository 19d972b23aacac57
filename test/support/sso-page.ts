/** A page that signs in at a company, by the client's own method. */

export const ssoPage = `<!doctype html>
<title>Company</title>
<p id="who"></p>
<p id="problem"></p>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  const [flowType, port] = location.pathname.slice(1).split('/');
  const show = (id, text) => { document.getElementById(id).textContent = text };
  const client = new AuthClient({
    url: 'http://127.0.0.1:' + port, flowType, storageKey: flowType, autoRefreshToken: false, detectSessionInUrl: true,
  });
  const { error } = await client.initialize();
  if (error) show('problem', error.message);
  const { data: { user } } = await client.getUser();
  show('who', user ? user.email + ' by ' + user.app_metadata.provider : 'signed out');
  window.signInWithSso = async (target, options) => {
    const redirectTo = location.origin + location.pathname;
    const { data, error } = await client.signInWithSSO({ ...target, options: { redirectTo, ...options } });
    show('problem', error ? error.code : '');
    return data?.url ?? null;
  };
  window.signOut = async () => {
    const { error } = await client.signOut({ scope: 'local' });
    show('problem', error ? error.code : '');
    show('who', 'signed out');
  };
  document.title = 'ready';
</script>`;
