/** The consent page, without scripts. */

import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import {
  addClient,
  authorize,
  oauthSettings,
  postForm,
  REDIRECT_URI,
  redeem,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { PageBrowser } from '../support/page-browser.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(
  t,
  oauthSettings({
    OAUTH_SERVER_AUTHORIZATION_PATH: '',
    PAGES_ENABLED: 'true',
    OAUTH_SERVER_SCOPES: 'files.read=Read your <files>',
  }),
);
const clientOf = (more: Record<string, unknown> = {}): Promise<TestClient> => addClient(server, more);

/** Sends a browser to the consent page of a new request. */
async function begin(
  client: TestClient,
  parameters: Record<string, string> = {},
  browser = new PageBrowser(server.url),
) {
  const { location } = await authorize(server, { clientId: client.id, parameters });
  await browser.open(location.pathname + location.search);
  return browser;
}

const signIn = (browser: PageBrowser, address: string) =>
  browser.send(browser.form('/ui/sign-in'), { address, password, action: 'password' });

async function tokensOf(browser: PageBrowser, client: TestClient) {
  const back = new URL(browser.onward);
  return redeem(server, client, back.searchParams.get('code') ?? '');
}

t.test('sign up, allow, come back with tokens, see the application and revoke it', async (t) => {
  const client = await clientOf({ client_name: 'Notes <b>' });
  const browser = await begin(client, { scope: 'openid email files.read', login_hint: 'ann@example.com' });
  t.equal(new URL(browser.url).pathname, '/ui/sign-in');
  t.equal(browser.form('/ui/sign-in').fields['address'], 'ann@example.com', 'login_hint');
  const email = freshEmail();
  await browser.open(`/ui/sign-up${new URL(browser.url).search}`);
  await browser.send(browser.form('/ui/sign-up'), { address: email, password });
  t.equal(new URL(browser.url).pathname, '/ui/consent', browser.html);
  t.match(browser.html, 'Allow Notes &#60;b&#62; to access your account?');
  t.match(browser.html, email);
  t.match(browser.html, 'client.example.com', 'where it leads');
  t.match(browser.html, 'Read your &#60;files&#62;');
  t.notMatch(browser.html, 'registered itself');
  t.match(browser.headers.get('content-security-policy'), "form-action 'self'");
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  t.equal(browser.headers.get('referrer-policy'), 'no-referrer');
  const back = new URL(browser.onward);
  t.equal(back.origin + back.pathname, REDIRECT_URI);
  t.equal(back.searchParams.get('state'), 'some state');
  const { status, body } = await tokensOf(browser, client);
  t.equal(status, 200, JSON.stringify(body));
  t.equal(body.scope, 'openid email files.read');

  const readUserinfo = () => server.call('GET', '/oauth/userinfo', { bearer: body.access_token });
  t.match(await readUserinfo(), { status: 200, body: { email } });
  const { body: own } = await server.post('/token?grant_type=password', { email, password });
  const grants = await server.call('GET', '/user/oauth/grants', { bearer: own.access_token });
  t.match(grants.body, [{ client: { id: client.id, name: 'Notes <b>' }, scopes: ['openid', 'email', 'files.read'] }]);
  const revoked = await server.call('DELETE', `/user/oauth/grants?client_id=${client.id}`, {
    bearer: own.access_token,
  });
  t.equal(revoked.status, 204);
  t.match(await readUserinfo(), { status: 401, body: { error_code: 'session_not_found' } }, 'at once');
  const form = { grant_type: 'refresh_token', client_id: client.id, refresh_token: body.refresh_token };
  t.match(await postForm(server, '/oauth/token', form), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('a consent is remembered for its scopes, in the same browser', async (t) => {
  const [client, person] = [await clientOf(), await signUpPerson(server)];
  const browser = await begin(client);
  await signIn(browser, person.email);
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  await begin(client, {}, browser);
  t.match(browser.html, `Continue as ${person.email}`);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.equal(new URL(browser.onward).searchParams.has('code'), true, 'without a question');
  await begin(client, { scope: 'email profile' }, browser);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.match(browser.html, 'See your name and picture', 'more scopes ask again');
  await begin(client, { prompt: 'consent' }, browser);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.ok(browser.form('/ui/consent'), 'prompt=consent asks again');
});

t.test('deny, and decide again', async (t) => {
  const [client, person] = [await clientOf(), await signUpPerson(server)];
  const browser = await begin(client);
  await signIn(browser, person.email);
  const question = browser.form('/ui/consent');
  await browser.send(question, { action: 'deny' });
  const back = new URL(browser.onward);
  t.equal(back.searchParams.get('error'), 'access_denied');
  t.equal(back.searchParams.get('state'), 'some state');
  t.equal(back.searchParams.get('iss'), 'http://localhost:9999');
  await browser.send(question, { action: 'approve' });
  t.equal(browser.status >= 400, true, 'Back and the other button');
  t.match(browser.html, 'was decided already');
});

t.test('a client that registered itself is marked', async (t) => {
  const person = await signUpPerson(server);
  const { body } = await server.call('POST', '/oauth/clients/register', {
    body: { redirect_uris: [REDIRECT_URI], client_name: 'Your Bank', token_endpoint_auth_method: 'none' },
  });
  const browser = await begin({ id: body.client_id, secret: undefined, body });
  await signIn(browser, person.email);
  t.match(browser.html, 'registered itself');
});

t.test('another account of the browser decides', async (t) => {
  const [client, first, second] = [await clientOf(), await signUpPerson(server), await signUpPerson(server)];
  const browser = await begin(client);
  await signIn(browser, first.email);
  const question = new URL(browser.url);
  await browser.open(`/ui/sign-in${question.search}&account=other`);
  await signIn(browser, second.email);
  t.match(browser.html, second.email);
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  const { body } = await tokensOf(browser, client);
  const { body: user } = await server.call('GET', '/user', { bearer: body.access_token });
  t.equal(user.id, second.id);

  const stranger = await begin(client);
  await stranger.open(`/ui/consent?authorization_id=${question.searchParams.get('authorization_id')}`);
  await signIn(stranger, first.email);
  t.match(stranger.html, 'has expired', 'an unknown request');
});

t.test('prompt=login and max_age ask for a new sign-in', async (t) => {
  const [client, person] = [await clientOf(), await signUpPerson(server)];
  const browser = await begin(client);
  await signIn(browser, person.email);
  await server.database.admin.query("update sessions set created_at = now() - interval '1 hour' where user_id = $1", [
    person.id,
  ]);
  for (const parameters of [{ prompt: 'login' }, { max_age: '60' }]) {
    await begin(client, parameters, browser);
    await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
    t.ok('password' in browser.form('/ui/sign-in').fields, 'the password again');
    await signIn(browser, person.email);
    t.ok(browser.form('/ui/consent'), JSON.stringify(parameters));
    await server.database.admin.query("update sessions set created_at = now() - interval '1 hour' where user_id = $1", [
      person.id,
    ]);
  }
});

t.test('a form from elsewhere decides nothing (click-jacking, CSRF)', async (t) => {
  const [client, person] = [await clientOf(), await signUpPerson(server)];
  const browser = await begin(client);
  await signIn(browser, person.email);
  t.equal(browser.headers.get('x-frame-options'), 'DENY');
  t.match(browser.headers.get('content-security-policy'), "frame-ancestors 'none'");
  const { search } = new URL(browser.url);
  for (const headers of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
    const answer = await fetch(`${server.url}/ui/consent${search}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ action: 'approve' }),
    });
    t.equal(answer.status, 403, JSON.stringify(headers));
  }
  const { rows } = await server.database.admin.query('select status from oauth_authorizations where user_id = $1', [
    person.id,
  ]);
  t.same(rows, [{ status: 'pending' }]);
});

t.test('a deleted client, and pages that are off', async (t) => {
  const [client, person] = [await clientOf(), await signUpPerson(server)];
  const browser = await begin(client);
  await asAdmin(server)('DELETE', `/admin/oauth/clients/${client.id}`);
  await signIn(browser, person.email);
  t.match(browser.html, 'has expired');

  const off = await openTestServer(t, oauthSettings({ OAUTH_SERVER_AUTHORIZATION_PATH: '' }));
  const other = await addClient(off);
  const { location } = await authorize(off, { clientId: other.id });
  t.equal(location.searchParams.get('error'), 'server_error');
  t.equal(location.searchParams.get('error_description'), 'oauth authorization path not configured');
});

t.test('a second factor from long ago: asked for again, back to the question, or denied without it', async (t) => {
  const strict = await openTestServer(
    t,
    oauthSettings({
      OAUTH_SERVER_AUTHORIZATION_PATH: '',
      PAGES_ENABLED: 'true',
      SECURITY_STEP_UP_MAX_AGE: '5m',
    }),
  );
  const email = freshEmail();
  const session = (await strict.post('/signup', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(strict, session);
  const app = openApp(secret);
  await verifyWith(strict, session, id, app.nextCode());
  const client = await addClient(strict, { client_name: 'Notes' });
  const browser = new PageBrowser(strict.url);
  const pathOf = () => new URL(browser.url).pathname;
  const ask = async () => {
    const { location } = await authorize(strict, { clientId: client.id, parameters: { prompt: 'consent' } });
    await browser.open(location.pathname + location.search);
  };
  await ask();
  await signIn(browser, email);
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(), '/ui/consent');
  await strict.database.admin.query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 600)))
     from jsonb_array_elements(amr) e)`,
  );
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  t.equal(pathOf(), '/ui/mfa', 'and no message without a way on');
  await browser.open(browser.link('Back'));
  t.equal(pathOf(), '/ui/consent', 'who does not go on may still deny');
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(), '/ui/consent', 'back to the question, which is decided by a person');
  await browser.send(browser.form('/ui/consent'), { action: 'approve' });
  t.equal(new URL(browser.onward).searchParams.has('code'), true);

  await ask();
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  await strict.database.admin.query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 600)))
     from jsonb_array_elements(amr) e)`,
  );
  await browser.send(browser.form('/ui/consent'), { action: 'deny' });
  t.equal(new URL(browser.onward).searchParams.get('error'), 'access_denied');
});
