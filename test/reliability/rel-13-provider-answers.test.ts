import { startIssuer } from '../support/issuer.js';
import { findQuickest } from '../support/quickest.js';
import { beginSignIn, endSignIn, findProvider, loadProviders, providerSettings } from '../support/sign-in.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

const TOKEN = '/login/oauth/access_token';
const isNever = { body: undefined };

t.test('REL-13: all calls of a sign-in end before the request does, and a spent code is not sent again', async (t) => {
  const server = await startStubServer(t);
  const limits = { AUTH_INTERNAL_HTTP_TIMEOUT: '10s', AUTH_API_MAX_REQUEST_DURATION: '1s' };
  const github = await findProvider(
    await loadProviders({ ...providerSettings('github', server.url), ...limits }),
    'github',
  );
  const fail = () => findQuickest(1000, () => endSignIn(github).catch((error: Error) => error));

  server.answers.set(TOKEN, isNever);
  const silent = await fail();
  t.match(silent.result, { entry: 'codeExchangeFailed' });
  t.ok(silent.ms < 1000, 'the browser still gets its redirect');
  t.equal(server.requests.length, silent.tries, 'after a time-out the code may be spent');

  server.answers.set(TOKEN, async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { body: { access_token: 'tok1' } };
  });
  server.answers.set('/api/v3/user', isNever);
  const slow = await fail();
  t.match(slow.result, { entry: 'providerProfileFailed' });
  t.ok(slow.ms < 1000, 'one budget for both calls');
});

t.test('REL-13: a response of more than 1 MB is not read to its end', async (t) => {
  const server = await startStubServer(t);
  const github = await findProvider(await loadProviders(providerSettings('github', server.url)), 'github');
  server.answers.set(TOKEN, { body: `{"access_token":"tok1","x":"${'x'.repeat(2_000_000)}"}` });
  await t.rejects(endSignIn(github), { message: /Unable to exchange/ });
  t.equal(server.requests.length, 1);
  server.answers.set(TOKEN, { body: { access_token: 'tok1' } });
  server.answers.set('/api/v3/user', { body: `{"id":1,"x":"${'x'.repeat(2_000_000)}"}` });
  await t.rejects(endSignIn(github), { message: /getting user profile/ });
});

t.test('REL-13: an unavailable or invalid issuer is an error; its last document stays in use', async (t) => {
  const it = await startIssuer(t);
  it.claims = { email: 'a@example.com', email_verified: true };
  const path = '/.well-known/openid-configuration';
  const good = it.server.answers.get(path)!;
  const ttl = { AUTH_EXTERNAL_OIDC_PROVIDER_CACHE_TTL: '0s' };
  const google = await findProvider(
    await loadProviders({ ...providerSettings('google', it.issuer), ...ttl }),
    'google',
  );
  const bad = { body: '<h1>', headers: { 'content-type': 'text/html' } };
  for (const answer of [bad, { body: {} }, { body: [] }, { status: 503, body: {} }, { body: 'x'.repeat(2_000_000) }]) {
    it.server.answers.set(path, answer);
    await t.rejects(beginSignIn(google), { message: /^The identity provider cannot be reached/ });
  }
  it.server.answers.set(path, good);
  await beginSignIn(google);
  it.server.answers.set(path, bad);
  await t.resolves(beginSignIn(google), 'the document could not be renewed');
  const before = it.countRequests(path);
  t.match(await endSignIn(google), { profile: { subject: 'subject-1' } });
  t.equal(it.countRequests(path), before, 'no request within 30 s');
});

t.test('REL-13: concurrent readers of one document cause one request', async (t) => {
  const it = await startIssuer(t);
  const google = await findProvider(await loadProviders(providerSettings('google', it.issuer)), 'google');
  await Promise.all(Array.from({ length: 50 }, () => beginSignIn(google)));
  t.equal(it.countRequests('/.well-known/openid-configuration'), 1);
});
