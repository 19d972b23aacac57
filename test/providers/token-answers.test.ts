/** Token endpoints and profiles that answer in every way but the right one (reference/providers.md 3.2, REL-13). */
import t from 'tap';
import { type Answer, startAnsweringServer } from '../support/answering-server.js';
import { endSignIn, findProvider, openRoom, providerSettings } from '../support/sign-in.js';

const TOKEN = '/login/oauth/access_token';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const text = { 'content-type': 'text/plain; charset=utf-8' };
const html = { 'content-type': 'text/html' };

async function start(test: Parameters<typeof startAnsweringServer>[0], more: Record<string, string> = {}) {
  const server = await startAnsweringServer(test);
  server.answers.set(TOKEN, { body: { access_token: 'tok1' } });
  server.answers.set('/api/v3/user', { body: { id: 1, login: 'octo' } });
  server.answers.set('/api/v3/user/emails', { body: [{ email: 'a@example.com', primary: true, verified: true }] });
  const github = findProvider(await openRoom({ ...providerSettings('github', server.url), ...more }), 'github');
  return { server, github };
}

t.test('tokens in every form that providers send them in', async (t) => {
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
  t.equal(server.asked.filter(({ path }) => path === TOKEN).length, answers.length, 'each was asked for once');
});

t.test('a provider that takes the secret in the body only is asked once more, with the same code', async (t) => {
  const { server, github } = await start(t, { AUTH_EXTERNAL_GITHUB_SECRET: 'a b+c:ü-_' });
  server.answers.set(TOKEN, ({ headers, form }) =>
    headers.authorization === undefined && form.get('client_secret') === 'a b+c:ü-_'
      ? { body: { access_token: 'tok1' } }
      : { status: 401, headers: { 'www-authenticate': 'Basic' }, body: { error: 'invalid_client' } },
  );
  t.match(await endSignIn(github), { accessToken: 'tok1' });
  const [first, second] = server.asked;
  const basic = Buffer.from(first!.headers.authorization!.slice('Basic '.length), 'base64').toString();
  t.equal(basic, 'cid:a+b%2Bc%3A%C3%BC-_');
  t.equal(first!.form.get('client_secret'), null);
  t.equal(second!.form.get('client_id'), 'cid');
  t.equal(first!.form.get('code'), second!.form.get('code'));
});

t.test('what is no token is refused, and says neither code nor secret nor what the provider wrote', async (t) => {
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
    server.asked.length = 0;
    server.answers.set(TOKEN, answer);
    const refusal = (await endSignIn(github).catch((error: Error) => error)) as Error;
    t.match(refusal, { refusal: 'codeExchangeFailed', message: 'Unable to exchange external code: code' }, name);
    t.notMatch(String((refusal.cause as Error).message), /code-1234|the-secret|tok-leak.*tok-leak|[\r\n]/, name);
    t.equal((refusal.cause as Error).cause, undefined, name);
    t.same(
      server.asked.map(({ path }) => path),
      [TOKEN, TOKEN],
      `${name}: asked both ways`,
    );
  }
});

t.test('profiles that are none', async (t) => {
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
