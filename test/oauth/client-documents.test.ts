/** Clients whose id is the address of a document about them (draft-ietf-oauth-client-id-metadata-document-00). */
import { decodeJwt } from 'jose';
import { asAdmin } from '../support/admin.js';
import { openClientHost } from '../support/client-host.js';
import {
  authorize,
  consent,
  oauthSettings,
  postForm,
  redeem,
  refresh,
  signInToClient,
  signUpPerson,
} from '../support/oauth-client.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const host = await openClientHost(t);
const here = (databaseUrl: string) => databaseUrl;
const server = await openTestServer(t, oauthSettings(), here, host.internet);
const admin = asAdmin(server);
const stored = async (url: string) =>
  (await server.database.admin.query('select * from oauth_clients where url = $1', [url])).rows;
const expire = (url: string) =>
  server.database.admin.query('update oauth_clients set fresh_until = now() where url = $1', [url]);

t.test('a client that nobody has registered: code, ID token, refresh, grant', async (t) => {
  const discovery = await server.call('GET', '/.well-known/oauth-authorization-server');
  t.equal(discovery.body.client_id_metadata_document_supported, true);
  const id = host.publishClient('/agent.json', {
    client_uri: 'https://app.client.example/',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    scope: 'mcp:unknown',
    contacts: ['ignored'],
  });
  const client = { id, secret: undefined };
  const person = await signUpPerson(server);
  const { location } = await authorize(server, { clientId: id, parameters: { scope: 'openid email' } });
  const details = await server.call('GET', `/oauth/authorizations/${location.searchParams.get('authorization_id')}`, {
    bearer: person.token,
  });
  t.same(details.body.client, { id, name: 'Agent', uri: 'https://app.client.example/', logo_uri: '' });
  const back = await consent(server, person, location);
  const code = back.searchParams.get('code')!;
  const [row] = await stored(id);
  t.equal((await redeem(server, { id: row.id, secret: undefined }, code)).status, 401, 'the key of its row is no id');
  const tokens = await redeem(server, client, code);
  t.equal(tokens.status, 200, JSON.stringify(tokens.body));
  t.equal(decodeJwt(tokens.body.access_token)['client_id'], id);
  t.match(decodeJwt(tokens.body.id_token), { aud: id, client_id: id, sub: person.id });
  const refreshed = await refresh(server, client, tokens.body.refresh_token);
  t.equal(refreshed.status, 200);
  t.equal(decodeJwt(refreshed.body.access_token)['client_id'], id);
  t.equal((await authorize(server, { clientId: id })).answer.status, 302);
  t.equal((await authorize(server, { clientId: row.id })).answer.body.msg, 'invalid client_id');
  t.same(host.asked, ['/agent.json'], 'read once');

  const shown = await admin('GET', `/admin/oauth/clients/${row.id}`);
  t.match(shown.body, { client_id: row.id, client_id_metadata_document: id, registration_type: 'dynamic' });
  const grants = await server.call('GET', '/user/oauth/grants', { bearer: person.token });
  t.equal(grants.body[0].client.id, id);
  const revoke = `/user/oauth/grants?client_id=${encodeURIComponent(id)}`;
  t.equal((await server.call('DELETE', revoke, { bearer: person.token })).status, 204);
  t.equal((await server.call('DELETE', revoke, { bearer: person.token })).status, 404);
  t.match(await refresh(server, client, refreshed.body.refresh_token), {
    status: 400,
    body: { error: 'invalid_grant' },
  });
});

t.test('a changed document counts when the copy is too old', async (t) => {
  const id = host.publishClient('/moving.json', {}, { 'cache-control': 'max-age=86400' });
  t.equal((await authorize(server, { clientId: id })).answer.status, 302);
  const [before] = await stored(id);
  t.ok(Date.parse(before.fresh_until) > Date.now() + 86_000_000, 'as its headers say');
  await expire(id);
  t.equal((await authorize(server, { clientId: id })).answer.status, 302);
  const [same] = await stored(id);
  t.equal(same.version, before.version, 'the same document is no change');
  host.publishClient('/moving.json', { redirect_uris: ['https://new.example/cb'], client_name: 'Agent 2' });
  t.equal((await authorize(server, { clientId: id })).answer.status, 302, 'until then the copy');
  await expire(id);
  t.equal((await authorize(server, { clientId: id })).answer.body.msg, 'invalid redirect_uri');
  const [after] = await stored(id);
  t.match(after, { id: before.id, name: 'Agent 2', version: before.version + 1 });
  host.publish('/moving.json', { status: 503 });
  await expire(id);
  const parameters = { redirect_uri: 'https://new.example/cb' };
  t.match((await authorize(server, { clientId: id, parameters })).answer, {
    status: 400,
    body: { error_code: 'oauth_client_not_found', msg: 'invalid client_id: its document cannot be read' },
  });
  t.equal((await stored(id))[0].version, after.version);
});

t.test('such a client revokes its tokens, and no other client does', async (t) => {
  const id = host.publishClient('/leaving.json');
  const [person, other] = [await signUpPerson(server), host.publishClient('/other.json')];
  await authorize(server, { clientId: other });
  const client = { id, secret: undefined, body: {} };
  const { body } = await signInToClient(server, person, client);
  const revoke = (client_id: string) => postForm(server, '/oauth/revoke', { client_id, token: body.access_token });
  const user = () => server.call('GET', '/user', { bearer: body.access_token });
  t.equal((await revoke(other)).status, 200);
  t.equal((await user()).status, 200);
  t.equal((await revoke(id)).status, 200);
  t.equal((await user()).status, 403);
});

t.test('what a document says of logouts', async (t) => {
  const said = {
    post_logout_redirect_uris: ['https://client.example.com/bye'],
    backchannel_logout_uri: 'https://app.client.example/logout',
    backchannel_logout_session_required: true,
  };
  const id = host.publishClient('/logout.json', said);
  t.equal((await authorize(server, { clientId: id })).answer.status, 302);
  const [row] = await stored(id);
  t.match(row, said);
  const logout = (uri: string) =>
    server.call('GET', `/oauth/logout?${new URLSearchParams({ client_id: id, post_logout_redirect_uri: uri })}`);
  t.match(await logout('https://evil.example/bye'), { status: 400, body: { msg: /post_logout_redirect_uri/ } });
  host.publishClient('/logout.json', { ...said, backchannel_logout_uri: 'http://127.0.0.1/logout' });
  await expire(id);
  t.match((await authorize(server, { clientId: id })).answer, { status: 400, body: { msg: /backchannel_logout_uri/ } });
  host.publishClient('/logout.json');
  await expire(id);
  t.equal((await authorize(server, { clientId: id })).answer.status, 302);
  t.match((await stored(id))[0], {
    post_logout_redirect_uris: [],
    backchannel_logout_uri: null,
    backchannel_logout_session_required: false,
    version: row.version + 1,
  });
});

t.test('many at once add one client', async (t) => {
  const id = host.publishClient('/busy.json');
  const answers = await Promise.all(Array.from({ length: 20 }, () => authorize(server, { clientId: id })));
  t.same(new Set(answers.map(({ answer }) => answer.status)), new Set([302]));
  const reads = host.asked.filter((path) => path === '/busy.json').length;
  t.ok(reads < 5, `they share what one of them reads: ${reads}`);
  t.equal((await stored(id)).length, 1);
});

t.test('a deleted one begins anew, without what it was allowed', async (t) => {
  const id = host.publishClient('/back.json');
  const person = await signUpPerson(server);
  const { location } = await authorize(server, { clientId: id });
  await consent(server, person, location);
  const [row] = await stored(id);
  const one = `/admin/oauth/clients/${row.id}`;
  t.match(await admin('PUT', one, { client_name: 'Trusted' }), {
    status: 400,
    body: { error_code: 'validation_failed' },
  });
  t.match(await admin('PUT', one, { refresh_token_ttl: 60 }), { status: 200, body: { refresh_token_ttl: 60 } });
  t.equal((await admin('DELETE', one)).status, 204);
  t.equal((await admin('GET', one)).status, 404);
  const again = await authorize(server, { clientId: id });
  const path = `/oauth/authorizations/${again.location.searchParams.get('authorization_id')}`;
  const asked = await server.call('GET', path, { bearer: person.token });
  t.equal(asked.body.redirect_url, undefined, 'the user is asked again');
  t.equal((await admin('GET', one)).status, 200);
  const { rows } = await server.database.admin.query(
    "select payload -> 'traits' as traits from audit_log where payload ->> 'action' = 'oauth_client_registered' and payload -> 'traits' ->> 'url' = $1",
    [id],
  );
  t.same(
    rows,
    [1, 2].map(() => ({ traits: { registration: 'dynamic', url: id, client_id: row.id } })),
  );
});

t.test('documents that are refused', async (t) => {
  const good = { client_id: host.url('/bad.json'), redirect_uris: ['https://a.example/cb'] };
  const large = { ...good, padding: 'x'.repeat(65_536) };
  const cases: readonly (readonly [string, Parameters<typeof host.publish>[1], RegExp])[] = [
    ['404', { status: 404, body: good }, /cannot be read/],
    ['a redirect', { status: 302, headers: { location: '/agent.json' }, body: good }, /cannot be read/],
    ['too large', { body: large }, /cannot be read/],
    ['another type', { headers: { 'content-type': 'text/plain' }, body: good }, /no JSON object/],
    ['no JSON', { body: '<html>' }, /no JSON object/],
    ['a list', { body: [good] }, /no JSON object/],
    ['of another client', { body: { ...good, client_id: host.url('/agent.json') } }, /another client_id/],
    ['without client_id', { body: { redirect_uris: good.redirect_uris } }, /another client_id/],
    ['with a secret', { body: { ...good, client_secret: 'x' } }, /a secret/],
    ['confidential', { body: { ...good, token_endpoint_auth_method: 'private_key_jwt' } }, /method none/],
    ['no redirect_uris', { body: { client_id: good.client_id } }, /redirect_uris/],
    ['redirect_uris of a script', { body: { ...good, redirect_uris: ['javascript://a/%0aalert(1)'] } }, /not valid/],
    ['no usable grant', { body: { ...good, grant_types: ['implicit'] } }, /not valid/],
    ['a logo that is a script', { body: { ...good, logo_uri: 'javascript:alert(1)' } }, /not valid/],
  ];
  for (const [name, answer, reason] of cases) {
    host.publish('/bad.json', answer);
    const refused = (await authorize(server, { clientId: good.client_id })).answer;
    t.match(refused, { status: 400, body: { error_code: 'oauth_client_not_found', msg: reason } }, name);
    t.equal(refused.headers.get('location'), null, name);
  }
  t.same(await stored(good.client_id), [], 'nothing of it is kept');
  t.notOk(host.asked.includes('/agent.json', host.asked.indexOf('/bad.json')), 'the redirect was not followed');
  host.publish('/bad.json', { headers: { 'content-type': 'application/vnd.client+json; charset=utf-8' }, body: good });
  const parameters = { redirect_uri: 'https://a.example/cb' };
  t.equal(
    (await authorize(server, { clientId: good.client_id, parameters })).answer.status,
    302,
    'the good one is taken',
  );
});

t.test('ids that are no address of a document', async (t) => {
  const before = host.lookedUp.length;
  for (const id of [
    host.url('/').replace('https:', 'http:'),
    host.url(''),
    host.url('/'),
    `${host.url('/agent.json')}#part`,
    host.url('/agent.json').replace('https://', 'https://user@'),
    host.url('/agent.json').replace('https://', 'https://:secret@'),
    host.url('/a/../agent.json'),
    host.url('/./agent.json'),
    host.url('/a/%2e%2e/agent.json'),
    host.url('/agent.json').replace('app.', 'APP.'),
    host.url('/agent.json').replace('https:', 'HTTPS:'),
    host.url('/a b.json'),
    host.url(`/${'x'.repeat(512)}.json`),
    'https://2130706433/agent.json',
    'https://0x7f.1/agent.json',
    'https://[::ffff:127.0.0.1]/agent.json',
    'data:application/json,{}',
    'file:///etc/passwd',
  ]) {
    const { answer } = await authorize(server, { clientId: id });
    t.match(
      answer,
      { status: 400, body: { error_code: 'oauth_client_not_found', msg: 'invalid client_id format' } },
      id,
    );
  }
  t.equal(host.lookedUp.length, before, 'nothing is looked up');
});

t.test('the consent page names the host of the document, whatever name the client gives itself', async (t) => {
  const settings = oauthSettings({ OAUTH_SERVER_AUTHORIZATION_PATH: '', PAGES_ENABLED: 'true' });
  const hosted = await openTestServer(t, settings, here, host.internet);
  const clientId = host.publishClient('/bank.json', { client_name: 'Your Bank' });
  const { location } = await authorize(hosted, { clientId });
  const browser = new PageBrowser(hosted.url);
  await browser.open(location.pathname + location.search);
  await browser.open(`/ui/sign-up${new URL(browser.url).search}`);
  await browser.send(browser.form('/ui/sign-up'), { address: freshEmail(), password });
  t.equal(new URL(browser.url).pathname, '/ui/consent', browser.html);
  t.match(browser.html, 'Allow Your Bank to access your account?');
  t.match(browser.html, `its web address at ${new URL(clientId).host}`);
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  const code = new URL(browser.onward).searchParams.get('code')!;
  t.equal((await redeem(hosted, { id: clientId, secret: undefined }, code)).status, 200);
});
