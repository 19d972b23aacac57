import { createHash } from 'node:crypto';
import { credentialsOf, type FakeProviders, openFakeProviders } from '../support/fake-providers/index.js';
import { t } from '../support/tap.js';

const REDIRECT_URI = 'http://localhost:9999/callback';
const VERIFIER = 'a-verifier-of-more-than-forty-three-characters-0';

function authorizationUrl(fake: FakeProviders, more: Record<string, string> = {}): string {
  const query = {
    response_type: 'code',
    client_id: credentialsOf('gitlab').id,
    redirect_uri: REDIRECT_URI,
    state: 's1',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  };
  return `${fake.urlOf('gitlab')}/oauth/authorize?${new URLSearchParams({ ...query, ...more })}`;
}

async function exchange(fake: FakeProviders, code: string, more: Record<string, string> = {}) {
  const { id, secret } = credentialsOf('gitlab');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    client_id: id,
    client_secret: secret,
    ...more,
  });
  const response = await fetch(`${fake.urlOf('gitlab')}/oauth/token`, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

t.test('a code is valid once, for its verifier, redirect URI and client', async (t) => {
  const fake = await openFakeProviders(t);
  fake.settings('gitlab', REDIRECT_URI);
  const newCode = async () => (await fake.signIn(authorizationUrl(fake))).fields['code'] ?? '';
  const good = await newCode();
  t.equal((await exchange(fake, good)).status, 200);
  t.same(await exchange(fake, good), {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'invalid grant.' },
  });
  const wrongs: Record<string, string>[] = [
    { code_verifier: `${VERIFIER}x` },
    { redirect_uri: 'http://localhost:1/callback' },
    { grant_type: 'password' },
    { client_secret: 'other' },
    { client_secret: '' },
  ];
  for (const wrong of wrongs) {
    const { status, body } = await exchange(fake, await newCode(), wrong);
    t.ok(status >= 400 && typeof body['error'] === 'string', JSON.stringify(wrong));
  }
});

t.test('an unknown client or redirect URI gets no answer', async (t) => {
  const fake = await openFakeProviders(t);
  fake.settings('gitlab', REDIRECT_URI);
  await t.rejects(fake.signIn(authorizationUrl(fake, { client_id: 'x' })), { message: /Unknown client_id/ });
  await t.rejects(fake.signIn(authorizationUrl(fake, { redirect_uri: 'http://localhost:1/' })), {
    message: /not registered/,
  });
  const { fields } = await fake.signIn(authorizationUrl(fake, { response_type: 'token' }));
  t.same(fields, { error: 'unsupported_response_type', state: 's1' });
});

t.test('the consent page is shown, unless a decision is set', async (t) => {
  const fake = await openFakeProviders(t);
  fake.settings('gitlab', REDIRECT_URI);
  const url = authorizationUrl(fake, { login_hint: '"><b>' });
  const page = await (await fetch(url)).text();
  t.match(page, /<button type="submit" name="fake_decision" value="allow">Allow<\/button>/);
  t.notMatch(page, /<b>/);
  const denied = await fake.signIn(url, { decision: 'deny', errorDescription: '<i>\r\nno' });
  t.same(denied.fields, { error: 'access_denied', error_description: '<i>\r\nno', state: 's1' });
  fake.decision = 'allow';
  t.equal((await fetch(url, { redirect: 'manual' })).status, 302);
});

t.test('users are identified by their codes', async (t) => {
  const fake = await openFakeProviders(t);
  fake.settings('gitlab', REDIRECT_URI);
  const ids = [1, 2, 3, 4, 5];
  const keys = ids.map((subject) => fake.person('gitlab', { subject }));
  const found = await Promise.all(
    keys.map(async (as) => {
      const { fields } = await fake.signIn(authorizationUrl(fake), { as });
      const { body } = await exchange(fake, fields['code'] ?? '');
      const headers = { Authorization: `Bearer ${body['access_token']}` };
      const profile = await fetch(`${fake.urlOf('gitlab')}/api/v4/user`, { headers });
      return ((await profile.json()) as { id: number }).id;
    }),
  );
  t.same(found, ids);
  t.equal((await fetch(`${fake.urlOf('gitlab')}/api/v4/user`)).status, 401);
});

t.test('a configured fault affects that endpoint only', async (t) => {
  const fake = await openFakeProviders(t);
  fake.settings('gitlab', REDIRECT_URI);
  const { fields } = await fake.signIn(authorizationUrl(fake));
  fake.misbehave('gitlab', 'profile', 'html');
  const { status, body } = await exchange(fake, fields['code'] ?? '');
  t.equal(status, 200);
  const read = async (path: string) => {
    const headers = { Authorization: `Bearer ${body['access_token']}` };
    return (await fetch(`${fake.urlOf('gitlab')}${path}`, { headers })).text();
  };
  t.match(await read('/api/v4/user'), /<html>/);
  t.same(JSON.parse(await read('/api/v4/user/emails')), [{ id: 1, email: 'second@example.com' }]);
  fake.misbehave('gitlab', 'profile', 'huge');
  t.equal((await read('/api/v4/user')).length > 2_000_000, true);
  fake.misbehave('gitlab', 'profile', 'cut body');
  await t.rejects(read('/api/v4/user'));
  fake.misbehave('gitlab', 'profile', null);
  t.match(JSON.parse(await read('/api/v4/user')), { id: 9, email: 'gl@example.com' });
});
