/** Clients with a metadata document, whose users have pairwise subjects (OpenID Connect Core 8). */

import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import { type ClientHost, openClientHost } from '../support/client-host.js';
import { authorize, consent, oauthSettings, type Person, redeem, signUpPerson } from '../support/oauth-client.js';
import { openTestServer, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const SALT = { OAUTH_SERVER_PAIRWISE_SALT: 'a salt for the tests of pairwise subjects' };
const OWN = 'https://app.client.example/cb';
const VICTIM = 'https://victim.example/cb';
const pairwise = (uri: string) => ({ subject_type: 'pairwise', redirect_uris: [uri] });

const open = (host: ClientHost, settings: Record<string, string> = SALT) =>
  openTestServer(t, oauthSettings(settings), (url) => url, host.internet);

/** Reads the document again with the next authorization. */
const expire = (server: TestServer, id: string) =>
  server.database.admin.query('update oauth_clients set fresh_until = now() where url = $1', [id]);

const stored = async (server: TestServer, id: string) =>
  (await server.database.admin.query('select * from oauth_clients where url = $1', [id])).rows[0];

async function subjectAt(server: TestServer, person: Person, id: string, uri = OWN): Promise<string> {
  const { location } = await authorize(server, { clientId: id, parameters: { scope: 'openid', redirect_uri: uri } });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  const { body } = await redeem(server, { id, secret: undefined }, code, { redirect_uri: uri });
  return claimsOf(body.id_token)['sub'] as string;
}

const ask = async (server: TestServer, id: string, uri: string) =>
  (await authorize(server, { clientId: id, parameters: { redirect_uri: uri } })).answer;

t.test('the subjects are those of its sector, and stay', async (t) => {
  const host = await openClientHost(t);
  const server = await open(host);
  const person = await signUpPerson(server);
  const id = host.publishClient('/agent.json', pairwise(OWN));
  const sub = await subjectAt(server, person, id);
  t.match(sub, /^[\w-]{43}$/);
  const registered = await asAdmin(server)('POST', '/admin/oauth/clients', {
    ...pairwise(OWN),
    token_endpoint_auth_method: 'none',
  });
  t.equal(await subjectAt(server, person, registered.body.client_id), sub, 'a client of the same host');
  const shown = await asAdmin(server)('GET', `/admin/oauth/clients/${(await stored(server, id)).id}`);
  t.match(shown.body, { client_id_metadata_document: id, subject_type: 'pairwise' });

  for (const type of ['public', undefined, 7]) {
    host.publishClient('/agent.json', { ...pairwise(OWN), subject_type: type });
    await expire(server, id);
    t.equal(await subjectAt(server, person, id), sub, `then it says ${type}`);
  }
  const plain = host.publishClient('/plain.json', { redirect_uris: [OWN] });
  t.equal(await subjectAt(server, person, plain), person.id);
  host.publishClient('/plain.json', pairwise(OWN));
  await expire(server, plain);
  t.equal(await subjectAt(server, person, plain), person.id, 'its users stay who they are');
});

t.test('a list of redirect URIs proves the sector, each time the document is read', async (t) => {
  const host = await openClientHost(t);
  const server = await open(host);
  const person = await signUpPerson(server);
  const uris = [OWN, 'com.example.app://cb'];
  const sector = host.publish('/sector.json', { body: uris });
  const fields = { subject_type: 'pairwise', redirect_uris: uris, sector_identifier_uri: sector };
  const id = host.publishClient('/agent.json', fields);
  const sub = await subjectAt(server, person, id);
  t.equal(await subjectAt(server, person, id, uris[1]), sub);
  host.publishClient('/agent.json', { ...fields, redirect_uris: [...uris, VICTIM] });
  await expire(server, id);
  t.match(await ask(server, id, OWN), { status: 400, body: { msg: /does not list all redirect_uris/ } });
  const loopback = host.publishClient('/loopback.json', pairwise('http://127.0.0.1/cb'));
  t.match(await ask(server, loopback, 'http://127.0.0.1/cb'), { status: 400, body: { msg: /sector_identifier_uri/ } });
  t.equal(await stored(server, loopback), undefined);
});

t.test('no document moves to another sector, and learns who its users are there', async (t) => {
  const host = await openClientHost(t);
  const server = await open(host);
  const id = host.publishClient('/agent.json', pairwise(OWN));
  t.equal((await ask(server, id, OWN)).status, 302);
  const before = await stored(server, id);
  for (const [what, more] of [
    ['another host', pairwise(VICTIM)],
    ['the list of another', { ...pairwise(OWN), sector_identifier_uri: 'https://victim.example/sector.json' }],
    ['public, on another host', { redirect_uris: [VICTIM] }],
  ] as const) {
    host.publishClient('/agent.json', more);
    await expire(server, id);
    const uri = more.redirect_uris[0]!;
    const refusal = { error_code: 'oauth_client_not_found', msg: /The sector cannot be changed/ };
    t.match(await ask(server, id, uri), { status: 400, body: refusal }, what);
    t.same((await stored(server, id)).redirect_uris, before.redirect_uris, what);
  }
});

t.test('of two documents that are read at once the first one says the sector', async (t) => {
  const host = await openClientHost(t);
  const server = await open(host);
  const { resolve } = host.internet;
  let goOn = () => {};
  let hold = () => {};
  const held = new Promise<void>((done) => {
    hold = done;
  });
  const slow = (...given: Parameters<typeof resolve>) => {
    goOn = () => resolve(...given);
    hold();
  };
  const internet = { ...host.internet, resolve: slow };
  const second = await openTestServer(t, oauthSettings(SALT), () => server.database.url, internet);
  const id = host.publishClient('/agent.json', pairwise(OWN));
  const late = ask(second, id, VICTIM);
  await held;
  t.equal((await ask(server, id, OWN)).status, 302);
  host.publishClient('/agent.json', pairwise(VICTIM));
  goOn();
  t.match(await late, { status: 400, body: { msg: 'invalid redirect_uri' } });
  t.match(await stored(server, id), { subject_type: 'pairwise', redirect_uris: [OWN], version: 1 });
});

t.test('without a salt', async (t) => {
  const host = await openClientHost(t);
  const server = await open(host, {});
  const id = host.publishClient('/agent.json', pairwise(OWN));
  const person = await signUpPerson(server);
  t.equal(await subjectAt(server, person, id), person.id, 'one document is for all servers');

  const salted = await open(host);
  const other = host.publishClient('/other.json', pairwise(OWN));
  t.equal((await ask(salted, other, OWN)).status, 302);
  await expire(salted, other);
  const without = await openTestServer(t, oauthSettings(), () => salted.database.url, host.internet);
  t.equal((await ask(without, other, OWN)).status, 503, 'the salt has gone');
});
