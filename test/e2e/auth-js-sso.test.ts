import { AuthClient } from '@supabase/auth-js';
import { openFakeIdp } from '../support/fake-saml-idp.js';
import { expectedOf, openSamlFlow } from '../support/saml-flow.js';
import { freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

function newClient(url: string, flowType: 'implicit' | 'pkce' = 'implicit') {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const options = { autoRefreshToken: false, persistSession: true, detectSessionInUrl: false };
  return new AuthClient({ url, flowType, storage, ...options });
}

t.test('@supabase/auth-js, unchanged: signInWithSSO in all its forms', async (t) => {
  const flow = await openSamlFlow(t);
  const idp = openFakeIdp();
  const { id: providerId } = (await flow.addProvider(idp, { domains: ['acme.example'] })).body;
  const redirectTo = 'http://localhost:3000/in';

  await t.test('by domain, implicit', async (t) => {
    const email = freshEmail();
    const client = newClient(flow.url);
    const { data, error } = await client.signInWithSSO({ domain: 'Acme.example', options: { redirectTo } });
    t.equal(error, null);
    const request = idp.readRequest(data!.url);
    const SAMLResponse = idp.respond({ ...expectedOf(request.id), attributes: { mail: email } });
    const { fragment } = await flow.postResponse({ SAMLResponse, RelayState: request.relayState });
    const tokens = {
      access_token: fragment.get('access_token')!,
      refresh_token: fragment.get('refresh_token')!,
    };
    const session = await client.setSession(tokens);
    t.equal(session.error, null);
    t.match(session.data.user, { email, app_metadata: { provider: `sso:${providerId}` } });
    t.equal((await client.refreshSession()).error, null);
    t.match((await client.updateUser({ password: 'another long password' })).error, { code: 'user_sso_managed' });
    t.equal((await client.signOut()).error, null);
  });

  await t.test('by provider, with PKCE', async (t) => {
    const client = newClient(flow.url, 'pkce');
    const { data, error } = await client.signInWithSSO({ providerId, options: { redirectTo } });
    t.equal(error, null);
    const request = idp.readRequest(data!.url);
    const SAMLResponse = idp.respond({ ...expectedOf(request.id), attributes: { mail: freshEmail() } });
    const { query } = await flow.postResponse({ SAMLResponse, RelayState: request.relayState });
    const exchanged = await client.exchangeCodeForSession(query.get('code')!);
    t.equal(exchanged.error, null);
    t.match(exchanged.data.user, { app_metadata: { provider: `sso:${providerId}` } });
  });

  await t.test('refused: unknown, disabled, off', async (t) => {
    const client = newClient(flow.url);
    t.match((await client.signInWithSSO({ domain: 'nobody.example' })).error, { code: 'sso_provider_not_found' });
    await flow.admin('PUT', `/admin/sso/providers/${providerId}`, { disabled: true });
    t.match((await client.signInWithSSO({ providerId })).error, { code: 'sso_provider_disabled' });
    const off = await openTestServer(t);
    t.match((await newClient(off.url).signInWithSSO({ providerId })).error, { code: 'saml_provider_disabled' });
  });
});
