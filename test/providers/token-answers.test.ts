/** Invalid answers of token endpoints and profile endpoints (REL-13). */

import { endSignIn, findProvider, loadProviders, providerSettings } from '../support/sign-in.js';
import { type Answer, startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

const TOKEN = '/login/oauth/access_token';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const text = { 'content-type': 'text/plain; charset=utf-8' };
const html = { 'content-type': 'text/html' };

async function start(test: Parameters<typeof startStubServer>[0], more: Record<string, string> = {}) {
  const server = await startStubServer(test);
  server.answers.set(TOKEN, { body: { access_token: 'tok1' } });
  server.answers.set('/api/v3/user', { body: { id: 1, login: 'octo' } });
  server.answers.set('/api/v3/user/emails', { body: [{ email: 'a@example.com', primary: true, verified: true }] });
  const github = await findProvider(
    await loadProviders({ ...providerSettings('github', server.url), ...more }),
    'github',
  );
  return { server, github };
}

t.test('token answers in every format of providers', async (t) => {
  const { server, github } = await start(t);
  const answers: [string, Answer][] = [
    ['a form', { headers: form, body: 'access_token=tok1&scope=user&refresh_token=rt1' }],
    ['a form that says it is text', { headers: text, body: 'access_token=tok1&refresh_token=rt1' }],
    ['JSON that says it is text', { headers: text, body: '{"access_token":"tok1","refresh_token":"rt1"}' }],
    ['a type of token that is not known', { body: { access_token: 'tok1', token_type: 'user', refresh_token: 'rt1' } }],
    [
      'odd members',
      { body: { access_token: 'tok1', refresh_token: 'rt1', expires_in: '', scope: ['a'], id_token: 7 } },
    ],
    ['201', { status: 201, body: { access_token: 'tok1', refresh_token: 'rt1' } }],
  ];
  for (const [name, answer] of answers) {
    server.answers.set(TOKEN, answer);
    t.match(await endSignIn(github), { accessToken: 'tok1', refreshToken: 'rt1' }, name);
  }
  t.equal(server.requests.filter(({ path }) => path === TOKEN).length, answers.length, 'each was requested once');
});

t.test('a provider that accepts the secret in the body only gets a second request with the same code', async (t) => {
  const { server, github } = await start(t, { AUTH_EXTERNAL_GITHUB_SECRET: 'a b+c:ü-_' });
  server.answers.set(TOKEN, ({ headers, form }) =>
    headers.authorization === undefined && form.get('client_secret') === 'a b+c:ü-_'
      ? { body: { access_token: 'tok1' } }
      : { status: 401, headers: { 'www-authenticate': 'Basic' }, body: { error: 'invalid_client' } },
  );
  t.match(await endSignIn(github), { accessToken: 'tok1' });
  const [first, second] = server.requests;
  const basic = Buffer.from(first!.headers.authorization!.slice('Basic '.length), 'base64').toString();
  t.equal(basic, 'cid:a+b%2Bc%3A%C3%BC-_');
  t.equal(first!.form.get('client_secret'), null);
  t.equal(second!.form.get('client_id'), 'cid');
  t.equal(first!.form.get('code'), second!.form.get('code'));
});

t.test('an invalid token answer is refused, and the error holds neither code nor secret nor the answer', async (t) => {
  const { server, github } = await start(t);
  const leak = 'code-1234 the-secret tok-leak <b>\r\nforged';
  const answers: [string, Answer][] = [
    ['200 with an error', { body: { error: 'bad_verification_code', error_description: leak } }],
    ['200 with an error and a token', { body: { error: 'x', access_token: 'tok-leak' } }],
    ['400', { status: 400, body: { error: 'invalid_grant', error_description: leak } }],
    ['{}', { body: {} }],
    ['[]', { body: [] }],
    ['null', { body: 'null' }],
    ['a token that is no text', { body: { access_token: 7 } }],
    ['an empty token', { body: { access_token: '' } }],
    ['a page', { headers: html, body: `<h1>${leak}</h1>` }],
    ['nothing', { body: '' }],
    ['500', { status: 500, body: leak }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
  ];
  for (const [name, answer] of answers) {
    server.requests.length = 0;
    server.answers.set(TOKEN, answer);
    const error = (await endSignIn(github).catch((error: Error) => error)) as Error;
    t.match(error, { entry: 'codeExchangeFailed', message: 'Unable to exchange external code: code' }, name);
    t.notMatch(String((error.cause as Error).message), /code-1234|the-secret|tok-leak.*tok-leak|[\r\n]/, name);
    t.equal((error.cause as Error).cause, undefined, name);
    t.same(
      server.requests.map(({ path }) => path),
      [TOKEN, TOKEN],
      `${name}: asked both ways`,
    );
  }
});

t.test('numbers that a double would change are kept as text, and others are numbers', async (t) => {
  const server = await startStubServer(t);
  const keycloak = await findProvider(await loadProviders(providerSettings('keycloak', server.url)), 'keycloak');
  const profile =
    '{"sub":"a","email":"a@example.com","big":12345678901234567890,"in":[0.1,-2e400],"text":"\\"9007199254740993"}';
  server.answers.set('/protocol/openid-connect/token', { body: { access_token: 'tok1' } });
  server.answers.set('/protocol/openid-connect/userinfo', { body: profile });
  const custom_claims = { big: '12345678901234567890', in: [0.1, '-2e400'], text: '"9007199254740993' };
  t.match(await endSignIn(keycloak), { profile: { claims: { custom_claims } } });
});

t.test('invalid profiles', async (t) => {
  const { server, github } = await start(t);
  const answers: [string, Answer][] = [
    ['403', { status: 403, body: { message: 'no' } }],
    ['a page', { headers: html, body: '<h1>' }],
    ['text', { body: '"text"' }],
    ['a redirect to another host', { status: 302, headers: { location: 'http://localhost:1/' }, body: '' }],
  ];
  for (const [name, answer] of answers) {
    server.answers.set('/api/v3/user', answer);
    await t.rejects(endSignIn(github), { message: 'Error getting user profile from external provider' }, name);
  }
  server.answers.set('/api/v3/user', { body: { id: 1 } });
  server.answers.set('/api/v3/user/emails', { body: [{ email: '', primary: true, verified: true }] });
  await t.rejects(endSignIn(github), { message: 'Error getting user email from external provider' });
});
