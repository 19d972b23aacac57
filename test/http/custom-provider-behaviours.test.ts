/** What a provider in the database does like those of the settings: linking by hand, its switches, its redirect URI. */

import { asAdmin } from '../support/admin.js';
import { claimsOf, type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import { credentialsOf } from '../support/fake-providers/index.js';
import { makeDiscovery } from '../support/id-tokens.js';
import { startIssuer } from '../support/issuer.js';
import { freshEmail } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const NAME = 'custom:acme';
const PASSWORD = 'correct horse battery';

/** A server with a provider in the database, whose part the fake of google plays. */
async function openAcme(t: Test, settings: Record<string, string> = {}, more: Record<string, string> = {}) {
  const flow = await openExternalFlow(t, ['google'], { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1', ...settings });
  const admin = asAdmin(flow);
  const { id, secret } = credentialsOf('google');
  const created = await admin('POST', '/admin/custom-providers', {
    provider_type: 'oidc',
    identifier: NAME,
    name: 'Acme',
    client_id: id,
    client_secret: secret,
    issuer: flow.providers.issuerOf('google'),
    ...more,
  });
  t.equal(created.status, 201, JSON.stringify(created.body));
  const change = async (body: object) => t.match(await admin('PUT', `/admin/custom-providers/${NAME}`, body), { body });
  return { ...flow, change };
}

async function signIn(flow: ExternalFlow, as: string) {
  const browser = flow.openBrowser();
  const { location } = await browser.leave(NAME);
  return browser.comeBack(await flow.providers.signIn(location, { as }));
}

async function link(flow: ExternalFlow, bearer: string, as: string) {
  const browser = flow.openBrowser();
  return browser.comeBack(await flow.providers.signIn(await browser.beginLink(NAME, bearer), { as }));
}

t.test('linking by hand and unlinking', async (t) => {
  const flow = await openAcme(t, { SECURITY_MANUAL_LINKING_ENABLED: 'true' });
  const register = async () => {
    const email = freshEmail();
    const { body } = await flow.post('/signup', { email, password: PASSWORD });
    await flow.follow((await flow.nextMail(email)).link!);
    const session = await flow.post('/token?grant_type=password', { email, password: PASSWORD });
    return { id: body.id ?? body.user.id, email, bearer: session.body.access_token as string };
  };
  const [own, other] = [await register(), await register()];
  const as = flow.providers.person('google', { email: freshEmail(), subject: 'acme-linked' });
  const landing = await link(flow, own.bearer, as);
  t.equal(landing.fragment.get('provider'), NAME, landing.location.href);
  const { body: user } = await flow.call('GET', '/user', { bearer: own.bearer });
  t.match(user, { id: own.id, email: own.email, app_metadata: { providers: ['email', NAME] } });
  const identity = user.identities.find(({ provider }: { provider: string }) => provider === NAME);
  t.match(identity, { id: 'acme-linked' });

  t.equal((await link(flow, own.bearer, as)).query.get('error_description'), 'Identity is already linked');
  t.equal((await link(flow, other.bearer, as)).query.get('error_code'), 'identity_already_exists');
  t.equal(claimsOf((await signIn(flow, as)).fragment.get('access_token')).sub, own.id, 'it signs in');

  const path = `/user/identities/${identity.identity_id}`;
  t.equal((await flow.call('DELETE', path, { bearer: own.bearer })).status, 200);
  t.notMatch((await signIn(flow, as)).fragment.get('access_token') ?? '', /^$/);
  t.not(claimsOf((await signIn(flow, as)).fragment.get('access_token')).sub, own.id, 'it is no longer theirs');
});

t.test('email_optional: who has no address may sign up', async (t) => {
  const flow = await openAcme(t);
  // The userinfo endpoint of OpenID Connect, which is asked because the ID token has no address.
  const answers = { profile: { sub: 'acme-nameless', name: 'No Body' } };
  const as = flow.providers.person('google', { email: null, subject: 'acme-nameless', answers });
  t.match(Object.fromEntries((await signIn(flow, as)).query), {
    error: 'server_error',
    error_description: 'Error getting user email from external provider',
  });
  await flow.change({ email_optional: true });
  const landing = await signIn(flow, as);
  const bearer = landing.fragment.get('access_token') ?? '';
  const { body: user } = await flow.call('GET', '/user', { bearer });
  t.match(user, { email: '', app_metadata: { provider: NAME }, identities: [{ id: 'acme-nameless' }] });
});

t.test('skip_nonce_check: an ID token with a nonce that the client does not know', async (t) => {
  const flow = await openAcme(t);
  const idToken = await flow.providers.idToken('google', {
    sub: 'acme-native',
    email: freshEmail(),
    email_verified: true,
    nonce: 'made by the library of the provider',
  });
  const grant = (more = {}) => flow.post('/token?grant_type=id_token', { provider: NAME, id_token: idToken, ...more });
  const refused = await grant();
  t.equal(refused.status, 400);
  t.match(refused.body.msg ?? refused.body.error_description, /nonce in id_token should either both exist or not/);
  t.equal((await grant({ nonce: 'another' })).status, 400);
  await flow.change({ skip_nonce_check: true });
  const granted = await grant();
  t.equal(granted.status, 200, JSON.stringify(granted.body));
  t.match(claimsOf(granted.body.access_token), { app_metadata: { provider: NAME } });
  const unsigned = `${idToken.slice(0, idToken.lastIndexOf('.'))}.${'A'.repeat(342)}`;
  t.equal((await grant({ id_token: unsigned })).status, 400, 'the signature is checked as before');
});

t.test('AUTH_CUSTOM_OAUTH_EXTERNAL_URL is the base of their redirect URI, and of no other', async (t) => {
  const flow = await openAcme(t, { CUSTOM_OAUTH_EXTERNAL_URL: 'https://login.example.com/auth' });
  const redirectUri = 'https://login.example.com/auth/callback';
  const browser = flow.openBrowser();
  const { location } = await browser.leave(NAME);
  t.equal(new URL(location).searchParams.get('redirect_uri'), redirectUri);
  const builtIn = new URL((await flow.openBrowser().leave('google')).location);
  t.equal(builtIn.searchParams.get('redirect_uri'), 'http://localhost:9999/callback');
  // Registered with the provider: it compares the redirect URI of the code with that of the token request.
  flow.providers.settings('google', redirectUri);
  const as = flow.providers.person('google', { email: freshEmail(), subject: 'acme-elsewhere' });
  const back = await flow.providers.signIn(location, { as });
  t.match(back.url, /^https:\/\/login\.example\.com\/auth\/callback\?/);
  // The proxy there removes /auth.
  const landing = await browser.comeBack({ ...back, url: back.url.replace('/auth/callback', '/callback') });
  t.match(claimsOf(landing.fragment.get('access_token')), { app_metadata: { provider: NAME } });
});

t.test('discovery_url: a document at another place, for sign-ins and for ID tokens', async (t) => {
  const it = await startIssuer(t, '/realm');
  it.server.answers.delete('/realm/.well-known/openid-configuration');
  it.server.answers.set('/documents/realm', { body: makeDiscovery(it.issuer) });
  const place = { issuer: it.issuer, discovery_url: `${it.server.url}/documents/realm`, client_id: 'cid' };
  const flow = await openAcme(t, {}, place);
  const browser = flow.openBrowser();
  const { location } = await browser.leave(NAME);
  const sent = new URL(location).searchParams;
  t.ok(location.startsWith(`${it.issuer}/authorize?`), location);
  it.claims = { sub: 'realm-1', email: freshEmail(), email_verified: true, nonce: sent.get('nonce') };
  const fields = { code: 'c', state: sent.get('state')! };
  const url = `${sent.get('redirect_uri')}?${new URLSearchParams(fields)}`;
  const landing = await browser.comeBack({ method: 'GET', url, fields });
  t.match(claimsOf(landing.fragment.get('access_token')), { app_metadata: { provider: NAME } }, landing.location.href);

  const id_token = await it.signIdToken({ nonce: undefined });
  const granted = await flow.post('/token?grant_type=id_token', { provider: NAME, id_token });
  t.equal(granted.status, 200, JSON.stringify(granted.body));
  t.equal(it.countRequests('/.well-known/openid-configuration'), 0);
});
