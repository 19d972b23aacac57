/** Errors in the three legs of OAuth 1.0a, and what the caller sees of them. */

import { type Misbehaviour, openFakeProviders, type Part } from '../support/fake-providers/index.js';
import { beginSignIn, endSignIn, findProvider, loadProviders, STATE } from '../support/sign-in.js';
import { t } from '../support/tap.js';

async function openTwitter(t: Parameters<typeof openFakeProviders>[0], more: Record<string, string> = {}) {
  const fake = await openFakeProviders(t);
  const settings = Object.entries({ ...fake.settings('twitter'), ...more }).map(([key, value]) => [
    `AUTH_${key}`,
    value,
  ]);
  return { fake, twitter: await findProvider(await loadProviders(Object.fromEntries(settings)), 'twitter') };
}

t.test('the first leg: the browser gets the request token without its secret', async (t) => {
  const { fake, twitter } = await openTwitter(t);
  const { url, providerState } = await beginSignIn(twitter, { scopes: 'a', login_hint: 'x' });
  t.equal(url.origin + url.pathname, `${fake.urlOf('twitter')}/oauth/authenticate`);
  t.same([...url.searchParams.keys()], ['oauth_token']);
  t.equal(providerState?.['requestToken'], url.searchParams.get('oauth_token'));
  t.match(providerState?.['requestTokenSecret'], /^rs-/);
  const [asked] = fake.requests;
  t.same([asked?.method, asked?.path, asked?.query.size, asked?.body], ['GET', '/oauth/request_token', 0, '']);
  const callback = encodeURIComponent(`http://localhost:9999/callback?state=${STATE}`);
  t.match(asked?.headers['authorization'], new RegExp(`^OAuth oauth_callback="${callback.replaceAll('.', '\\.')}",`));
  const back = await fake.signIn(url.href);
  t.equal(back.fields['state'], STATE);
});

t.test('the user denies the request', async (t) => {
  const { fake, twitter } = await openTwitter(t);
  const { url, providerState } = await beginSignIn(twitter);
  const { fields } = await fake.signIn(url.href, { decision: 'deny' });
  t.same(Object.keys(fields), ['state', 'denied']);
  t.same(await endSignIn(twitter, fields, providerState), { refused: { error: 'access_denied', description: '' } });
});

const bad: readonly Misbehaviour[] = ['html', 'empty object', 'server error', 'cut', 'cut body', 'huge', 'redirect'];

t.test('a provider that fails', async (t) => {
  const { fake, twitter } = await openTwitter(t);
  const messages: [Part, string, Misbehaviour[]][] = [
    ['requestToken', 'Unable to retrieve request token', [...bad]],
    ['token', 'Unable to retrieve access token', [...bad]],
    ['profile', 'Error getting user email from external provider', bad.filter((how) => how !== 'empty object')],
    ['profile', 'error missing provider id', ['empty object', 'null', 'array', 'number', 'error with 200']],
  ];
  for (const [part, message, hows] of messages) {
    for (const how of hows) {
      fake.misbehave('twitter', part, how);
      const signIn = async () => {
        const { url, providerState } = await beginSignIn(twitter);
        return endSignIn(twitter, (await fake.signIn(url.href)).fields, providerState);
      };
      await t.rejects(signIn(), { status: 500, message }, `${part} ${how}`);
    }
    fake.misbehave('twitter', part, null);
  }
});

t.test('a provider that never responds', async (t) => {
  const { fake, twitter } = await openTwitter(t, { INTERNAL_HTTP_TIMEOUT: '1s' });
  fake.misbehave('twitter', 'requestToken', 'slow');
  await t.rejects(beginSignIn(twitter), { message: 'Unable to retrieve request token' });
});

t.test('a callback of another sign-in', async (t) => {
  const { fake, twitter } = await openTwitter(t);
  const mine = await beginSignIn(twitter);
  const theirs = await beginSignIn(twitter);
  const { fields } = await fake.signIn(theirs.url.href);
  const calls = fake.requests.length;
  const { oauth_token: token = '', oauth_verifier: verifier = '' } = fields;
  const answers: [Record<string, string>, typeof mine.providerState][] = [
    [fields, mine.providerState],
    [fields, null],
    [{ oauth_token: token }, theirs.providerState],
    [{ oauth_verifier: verifier }, theirs.providerState],
    [{ code: 'x' }, theirs.providerState],
  ];
  for (const [parameters, state] of answers) {
    await t.rejects(endSignIn(twitter, parameters, state), { message: 'Unable to retrieve access token' });
  }
  t.equal(fake.requests.length, calls, 'no request was sent');
  t.ok('profile' in (await endSignIn(twitter, fields, theirs.providerState)));
  await t.rejects(endSignIn(twitter, fields, theirs.providerState), { message: 'Unable to retrieve access token' });
});

t.test('the secret of the request token signs the access token request (RFC 5849 2.3)', async (t) => {
  const { fake, twitter } = await openTwitter(t);
  const { url, providerState } = await beginSignIn(twitter);
  const { fields } = await fake.signIn(url.href);
  const forged = { ...providerState, requestTokenSecret: '' };
  await t.rejects(endSignIn(twitter, fields, forged), { message: 'Unable to retrieve access token' });
});
