/** Logout by the client (OpenID Connect RP-Initiated Logout 1.0). */

import { claimsOf } from '../support/authenticator-app.js';
import {
  addClient,
  authorize,
  consent,
  discover,
  oauthSettings,
  type Person,
  REDIRECT_URI,
  redeem,
  refresh,
  signInToClient,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { PageBrowser } from '../support/page-browser.js';
import { openTestServer } from '../support/server.js';
import { keySetting, makeTestJwk, signWithJwk } from '../support/signing-keys.js';
import { t } from '../support/tap.js';

const jwk = makeTestJwk('ES256', 'logout');
const BYE = 'https://client.example.com/bye?from=us';
const settings = oauthSettings({ ...keySetting(jwk), PAGES_ENABLED: 'true' });
const server = await openTestServer(t, settings);
const { call } = server;
const leaving = { post_logout_redirect_uris: [BYE, 'http://127.0.0.1/bye'], client_name: 'Notes <b>' };

async function signIn(client: TestClient, person: Person, where = server) {
  const parameters = { scope: 'openid email' };
  const { body } = await signInToClient(where, person, client, { parameters });
  return body as { access_token: string; refresh_token: string; id_token: string };
}

async function logOut(parameters: Record<string, string>, method: 'GET' | 'POST' = 'GET', where = server) {
  const form = new URLSearchParams(parameters);
  const answer = await fetch(`${where.url}/oauth/logout${method === 'GET' ? `?${form}` : ''}`, {
    method,
    redirect: 'manual',
    ...(method === 'POST' && { body: form }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    body: text.startsWith('{') ? JSON.parse(text) : {},
  };
}

const isAlive = async (client: TestClient, token: string) => (await refresh(server, client, token)).status === 200;

t.test('an ID token ends the session of the client, and no other', async (t) => {
  t.equal((await discover(server)).end_session_endpoint, 'http://localhost:9999/oauth/logout');
  const [client, other, person] = [
    await addClient(server, leaving),
    await addClient(server),
    await signUpPerson(server),
  ];
  for (const method of ['GET', 'POST'] as const) {
    const [ending, second, foreign] = [
      await signIn(client, person),
      await signIn(client, person),
      await signIn(other, person),
    ];
    const asked = { id_token_hint: ending.id_token, client_id: client.id, post_logout_redirect_uri: BYE, state: 'a&b' };
    t.match(await logOut(asked, method), {
      status: method === 'GET' ? 302 : 303,
      location: `${BYE}&state=a%26b`,
    });
    t.notOk(await isAlive(client, ending.refresh_token));
    t.ok(await isAlive(client, second.refresh_token));
    t.ok(await isAlive(other, foreign.refresh_token));
    t.equal((await call('GET', '/user', { bearer: person.token })).status, 200);
    t.match(await logOut({ ...asked, state: '' }), { status: 302, location: BYE }, 'again, and without a state');
  }
  const { rows } = await server.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'logout' and payload ->> 'actor_id' = $1",
    [person.id],
  );
  t.equal(rows.length, 2);
  t.match(rows[0].payload, { actor_username: person.email, traits: { client_id: client.id } });
});

t.test('an expired ID token is as good as another, and a forged one is none', async (t) => {
  const [client, stranger, person] = [
    await addClient(server, leaving),
    await addClient(server),
    await signUpPerson(server),
  ];
  const tokens = await signIn(client, person);
  const header = { alg: 'ES256', kid: 'logout', typ: 'JWT' };
  const claims: Record<string, unknown> = { ...claimsOf(tokens.id_token), iat: 1_700_000_000, exp: 1_700_003_600 };
  const other = makeTestJwk('ES256', 'logout');
  for (const [name, id_token_hint, more] of [
    ['another key', signWithJwk(other, header, claims), {}],
    ['another issuer', signWithJwk(jwk, header, { ...claims, iss: 'https://evil.example' }), {}],
    ['no session', signWithJwk(jwk, header, { ...claims, sid: undefined }), {}],
    ['an access token', tokens.access_token, {}],
    ['a refresh token', tokens.refresh_token, {}],
    ['nonsense', 'a.b.c', {}],
    ['of another client', tokens.id_token, { client_id: stranger.id }],
  ] as [string, string, Record<string, string>][]) {
    const answer = await logOut({ id_token_hint, ...more });
    t.match(answer, { status: 400, body: { msg: /id_token_hint/ } }, name);
  }
  t.match(await logOut({ id_token_hint: signWithJwk(jwk, header, { ...claims, aud: stranger.id }) }), { status: 302 });
  t.ok(await isAlive(client, tokens.refresh_token), 'a session of another client stays');
  const again = await signIn(client, person);
  const expired = { ...claimsOf(again.id_token), iat: 1_700_000_000, exp: 1_700_003_600 };
  t.equal((await logOut({ id_token_hint: signWithJwk(jwk, header, expired) })).status, 302);
  t.notOk(await isAlive(client, again.refresh_token));
});

t.test('it leads to registered addresses only', async (t) => {
  const [client, person] = [await addClient(server, leaving), await signUpPerson(server)];
  const { id_token: hint, refresh_token } = await signIn(client, person);
  const to = (post_logout_redirect_uri: string) => logOut({ id_token_hint: hint, post_logout_redirect_uri });
  for (const refused of [
    'https://evil.example/',
    REDIRECT_URI,
    `${BYE}&more`,
    'https://client.example.com/bye',
    'javascript:alert(1)',
  ]) {
    t.match(
      await to(refused),
      { status: 400, location: null, body: { msg: 'invalid post_logout_redirect_uri' } },
      refused,
    );
  }
  t.ok(await isAlive(client, refresh_token), 'a refused request does nothing');
  t.equal((await to('http://127.0.0.1:50001/bye')).location, 'http://127.0.0.1:50001/bye');
  t.match(await logOut({}), { status: 400, body: { msg: 'id_token_hint or client_id is required' } });
  t.match(await logOut({ post_logout_redirect_uri: BYE }), { status: 400 });
  for (const client_id of ['x', '00000000-0000-4000-8000-000000000000']) {
    t.match(await logOut({ client_id }), { status: 400, body: { error_code: 'oauth_client_not_found' } });
  }
});

t.test('a client that registered itself makes no open redirect', async (t) => {
  const { body } = await call('POST', '/oauth/clients/register', {
    body: {
      redirect_uris: [REDIRECT_URI],
      post_logout_redirect_uris: ['https://evil.example/'],
      token_endpoint_auth_method: 'none',
    },
  });
  t.same(body.post_logout_redirect_uris, ['https://evil.example/']);
  const client = { id: body.client_id, secret: undefined, body };
  const { id_token } = await signIn(client, await signUpPerson(server));
  const asked = { id_token_hint: id_token, post_logout_redirect_uri: 'https://evil.example/' };
  t.equal((await logOut(asked)).location, 'https://evil.example/', 'the session has ended with it');
  const link = new URL((await logOut(asked)).location!);
  t.equal(link.pathname, '/ui/logout');
  const browser = await new PageBrowser(server.url).open(link.pathname + link.search);
  t.equal(browser.onward, '', 'the browser does not go on by itself');
  t.equal(browser.link('evil.example'), 'https://evil.example/');
  const direct = await new PageBrowser(server.url).open(
    `/ui/logout?client_id=${client.id}&post_logout_redirect_uri=https://evil.example/`,
  );
  t.equal(direct.onward, '');
});

t.test('without a hint a page asks', async (t) => {
  const [client, person] = [await addClient(server, leaving), await signUpPerson(server)];
  const tokens = await signIn(client, person);
  const { location } = await logOut({ client_id: client.id, post_logout_redirect_uri: BYE, state: 'x y' });
  const page = new URL(location!);
  t.equal(page.pathname, '/ui/logout');
  const open = (browser: PageBrowser) => browser.open(page.pathname + page.search);

  const nobody = await open(new PageBrowser(server.url));
  t.equal(nobody.onward, `${BYE}&state=x%20y`, 'nobody is signed in here');
  t.ok(await isAlive(client, tokens.refresh_token));

  const browser = await new PageBrowser(server.url).open('/ui/sign-in');
  await browser.send(browser.form('/ui/sign-in'), {
    address: person.email,
    password: 'correct horse battery',
    action: 'password',
  });
  await open(browser);
  t.equal(browser.title, 'Sign out of Notes <b>?');
  t.match(browser.html, person.email);
  const question = browser.form('/ui/logout');
  await browser.send(question, { action: 'stay' });
  t.equal(new URL(browser.url).pathname, '/ui/account');
  const before = await signIn(client, person);
  const forged = await fetch(question.action, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
    body: new URLSearchParams({ ...question.fields, action: 'sign_out' }),
  });
  t.equal(forged.status, 403);
  t.ok(await isAlive(client, before.refresh_token));
  const last = await signIn(client, person);
  await browser.send(question, { action: 'sign_out', post_logout_redirect_uri: 'https://evil.example/' });
  t.equal(browser.status, 400);
  t.equal(browser.onward, '');
  await open(browser);
  await browser.send(browser.form('/ui/logout'), { action: 'sign_out' });
  t.equal(browser.onward, `${BYE}&state=x%20y`);
  t.equal(browser.headers.get('referrer-policy'), 'no-referrer');
  t.notOk(await isAlive(client, last.refresh_token));
  await browser.open('/ui/account');
  t.match(browser.html, person.email, 'the pages stay signed in');
  const plain = new URL((await logOut({ client_id: client.id })).location!);
  await browser.open(plain.pathname + plain.search);
  await browser.send(browser.form('/ui/logout'), { action: 'sign_out' });
  t.match(browser.html, 'You are signed out of Notes &#60;b&#62;.');
});

t.test('without pages', async (t) => {
  const bare = await openTestServer(t, oauthSettings());
  const [client, person] = [await addClient(bare, leaving), await signUpPerson(bare)];
  t.match(await logOut({ client_id: client.id }, 'GET', bare), { status: 400, body: { msg: /no page can ask/ } });
  const { location } = await authorize(bare, { clientId: client.id, parameters: { scope: 'openid' } });
  const { body } = await redeem(bare, client, (await consent(bare, person, location)).searchParams.get('code')!);
  t.match(await logOut({ id_token_hint: body.id_token }, 'GET', bare), {
    status: 302,
    location: 'http://localhost:3000',
  });
  t.match(await refresh(bare, client, body.refresh_token), { status: 400 });
});
