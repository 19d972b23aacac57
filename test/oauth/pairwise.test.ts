/** Pairwise subjects (OpenID Connect Core 8): a client cannot tell who its users are to others. */
import * as oidc from 'openid-client';
import { DEVICE_GRANT } from '../../src/server/oauth/client-fields.js';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import { type ClientHost, openClientHost } from '../support/client-host.js';
import { decideOnPages, openHostedServer, signUpOnPages } from '../support/hosted-server.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  type Person,
  postForm,
  REDIRECT_URI,
  redeem,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { freshEmail, openTestServer, type TestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const SALT = 'a salt for the tests of pairwise subjects';
const settings = (more: Record<string, string> = {}) => oauthSettings({ OAUTH_SERVER_PAIRWISE_SALT: SALT, ...more });
const PAIRWISE = { subject_type: 'pairwise', token_endpoint_auth_method: 'client_secret_post' };

const open = (test: Test, host: ClientHost, more: Record<string, string> = {}) =>
  openTestServer(test, settings(more), (databaseUrl) => databaseUrl, host.internet);

/** Signs in at a client with its own redirect URI. */
async function signIn(server: TestServer, person: Person, client: TestClient, uri = REDIRECT_URI) {
  const parameters = { scope: 'openid profile email', redirect_uri: uri };
  const { location } = await authorize(server, { clientId: client.id, parameters });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  const { body } = await redeem(server, client, code, { redirect_uri: uri });
  return { access: body.access_token as string, sub: claimsOf(body.id_token)['sub'] as string, body };
}

t.test('a sector knows a user by one name, others by another, at every instance and after a restart', async (t) => {
  const host = await openClientHost(t);
  const server = await open(t, host);
  const person = await signUpPerson(server);
  const client = await addClient(server, PAIRWISE);
  t.equal(client.body['subject_type'], 'pairwise');
  const first = await signIn(server, person, client);
  t.match(first.sub, /^[\w-]{43}$/);
  t.not(first.sub, person.id);

  const info = await server.call('GET', '/oauth/userinfo', { bearer: first.access });
  t.match(info, { status: 200, body: { sub: first.sub, email: person.email } });
  t.notOk('user_metadata' in info.body, 'applications may have put ids there');
  t.equal(claimsOf(first.access)['sub'], person.id, 'access tokens are for resources, which know the id');
  t.match(await server.call('GET', '/user', { bearer: first.access }), { status: 200, body: { id: person.id } });
  const credentials = { client_id: client.id, client_secret: client.secret! };
  for (const token of [first.access, first.body.refresh_token]) {
    const seen = await postForm(server, '/oauth/introspect', { ...credentials, token });
    t.match(seen.body, { active: true, sub: first.sub });
  }

  t.equal((await signIn(server, person, await addClient(server, PAIRWISE))).sub, first.sub, 'of the same host');
  const elsewhere = 'https://other.example.com/cb';
  const other = await addClient(server, { ...PAIRWISE, redirect_uris: [elsewhere] });
  const second = await signIn(server, person, other, elsewhere);
  t.not(second.sub, first.sub, 'of another host');
  t.equal((await signIn(server, person, await addClient(server))).sub, person.id, 'a public client');
  t.not((await signIn(server, await signUpPerson(server), client)).sub, first.sub, 'another user');

  const again = await openTestServer(t, settings({ JWT_SECRET: 'b'.repeat(40) }), () => server.database.url);
  const { access_token: token } = (
    await again.post('/token?grant_type=password', {
      email: person.email,
      password: 'correct horse battery',
    })
  ).body;
  t.equal((await signIn(again, { ...person, token }, client)).sub, first.sub, 'the secret of tokens does not matter');

  const bystander = await addClient(server, {
    token_endpoint_auth_method: 'client_secret_post',
    resources: ['https://a.example/'],
  });
  const { location } = await authorize(server, { clientId: client.id, resources: ['https://a.example/'] });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  const forResource = (await redeem(server, client, code)).body.access_token;
  const asResource = { client_id: bystander.id, client_secret: bystander.secret!, token: forResource };
  t.match((await postForm(server, '/oauth/introspect', asResource)).body, { active: true, sub: person.id });
  const { body: metadata } = await server.call('GET', '/.well-known/openid-configuration');
  t.same(metadata.subject_types_supported, ['public', 'pairwise']);
});

t.test('openid-client finds the same subject everywhere', async (t) => {
  const server = await openHostedServer(t, { OAUTH_SERVER_PAIRWISE_SALT: SALT });
  const { body } = await asAdmin(server)('POST', '/admin/oauth/clients', {
    redirect_uris: [REDIRECT_URI],
    client_name: 'Notes',
    ...PAIRWISE,
  });
  const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks];
  const authentication = oidc.ClientSecretPost(body.client_secret);
  const config = await oidc.discovery(new URL(server.issuer), body.client_id, {}, authentication, { execute });
  const checks = { pkceCodeVerifier: oidc.randomPKCECodeVerifier(), idTokenExpected: true };
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const browser = server.openBrowser();
  await browser.open(address.href);
  await signUpOnPages(browser, freshEmail());
  const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), checks);
  const { sub } = tokens.claims()!;
  t.match(await oidc.fetchUserInfo(config, tokens.access_token, sub), { sub });
  t.match(await oidc.tokenIntrospection(config, tokens.access_token), { active: true, sub });
});

t.test('sector_identifier_uri: read from public addresses, and lists every redirect URI', async (t) => {
  const host = await openClientHost(t);
  const server = await open(t, host);
  const register = (more: Record<string, unknown>) =>
    server.post('/oauth/clients/register', { redirect_uris: [REDIRECT_URI], ...PAIRWISE, ...more });
  const uris = [REDIRECT_URI, 'https://second.example.com/cb', 'com.example.app://cb'];
  const uri = host.publish('/sector.json', { body: uris });
  const made = await register({ redirect_uris: uris, sector_identifier_uri: uri });
  t.match(made, { status: 201, body: { subject_type: 'pairwise', sector_identifier_uri: uri } });
  t.ok(host.asked.includes('/sector.json'));
  const person = await signUpPerson(server);
  const client = { id: made.body.client_id, secret: made.body.client_secret, body: made.body };
  const { sub } = await signIn(server, person, client);
  const peer = await register({ redirect_uris: [uris[1]!], sector_identifier_uri: uri });
  const second = { id: peer.body.client_id, secret: peer.body.client_secret, body: peer.body };
  t.equal((await signIn(server, person, second, uris[1])).sub, sub, 'clients of one sector');

  for (const [what, more] of [
    ['two hosts', { redirect_uris: [uris[0], uris[1]] }],
    ['an app', { redirect_uris: [uris[2]] }],
    ['a loopback address', { redirect_uris: ['http://127.0.0.1/cb'] }],
    ['not listed', { redirect_uris: ['https://evil.example/cb'], sector_identifier_uri: uri }],
    ['not there', { sector_identifier_uri: host.url('/missing.json') }],
    ['no list', { sector_identifier_uri: host.publish('/object.json', { body: { redirect_uris: uris } }) }],
    ['no texts', { sector_identifier_uri: host.publish('/numbers.json', { body: [REDIRECT_URI, 7] }) }],
    ['no JSON', { sector_identifier_uri: host.publish('/text.json', { body: 'x' }) }],
    ['http', { sector_identifier_uri: uri.replace('https', 'http') }],
    ['a fragment', { sector_identifier_uri: `${uri}#x` }],
    ['a private address', { sector_identifier_uri: 'https://169.254.169.254/sector.json' }],
    ['another type', { subject_type: 'ephemeral' }],
    ['devices', { grant_types: ['authorization_code', DEVICE_GRANT] }],
    ['a public client with a false list', { subject_type: 'public', sector_identifier_uri: host.url('/missing.json') }],
  ] as const) {
    t.match(await register(more), { status: 400, body: { error: 'invalid_client_metadata' } }, what);
  }
  t.notOk(host.reached.includes('169.254.169.254'));
});

t.test('no client can move to another sector, and learn who its users are there', async (t) => {
  const host = await openClientHost(t);
  const server = await open(t, host);
  const admin = asAdmin(server);
  const victim = 'https://victim.example/cb';
  const sector = host.publish('/victim.json', { body: [victim, REDIRECT_URI] });
  const { body } = await server.post('/oauth/clients/register', { redirect_uris: [REDIRECT_URI], ...PAIRWISE });
  const plain = await server.post('/oauth/clients/register', { redirect_uris: [REDIRECT_URI] });
  const put = (made: Record<string, string>, more: Record<string, unknown>) =>
    server.call('PUT', `/oauth/clients/register/${made['client_id']}`, {
      bearer: made['registration_access_token'],
      body: { client_id: made['client_id'], redirect_uris: [REDIRECT_URI], ...more },
    });
  const refused = { status: 400, body: { error: 'invalid_client_metadata' } };
  t.match(await put(body, { redirect_uris: [victim] }), refused);
  t.match(await put(body, { sector_identifier_uri: sector }), refused);
  t.match(await put(body, { subject_type: 'public' }), refused);
  t.match(await put(plain.body, { subject_type: 'pairwise' }), refused);
  t.match(await put(plain.body, { subject_type: 'pairwise', redirect_uris: [victim] }), refused);
  const path = `/admin/oauth/clients/${body.client_id}`;
  t.equal((await admin('PUT', path, { redirect_uris: [victim] })).status, 400);
  t.equal((await admin('PUT', path, { subject_type: 'public' })).status, 400);
  const moved = await put(body, { redirect_uris: ['https://client.example.com/other'] });
  t.match(moved, { status: 200, body: { subject_type: 'pairwise' } }, 'on the same host it may');
  t.match(await put(body, { redirect_uris: ['https://client.example.com/a', 'https://b.example/'] }), refused);
});

t.test('without a salt there are no pairwise subjects, and no id in their place', async (t) => {
  const host = await openClientHost(t);
  const server = await open(t, host);
  const [client, person] = [await addClient(server, PAIRWISE), await signUpPerson(server)];
  const { location } = await authorize(server, { clientId: client.id, parameters: { scope: 'openid' } });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  const without = await openTestServer(t, settings({ OAUTH_SERVER_PAIRWISE_SALT: '' }), () => server.database.url);
  t.match(await redeem(without, client, code), { status: 503, body: { error: 'temporarily_unavailable' } });
  const refused = await asAdmin(without)('POST', '/admin/oauth/clients', {
    redirect_uris: [REDIRECT_URI],
    ...PAIRWISE,
  });
  t.equal(refused.status, 400);
  const { body } = await without.call('GET', '/.well-known/openid-configuration');
  t.same(body.subject_types_supported, ['public']);
  t.equal((await redeem(server, client, code)).status, 200, 'the code was not spent');
});
