import { createTextSealer } from '../../src/server/sealing/text-sealer.js';
import { openExternalFlow } from '../support/external-flow.js';
import { call, freshEmail, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const EARLIER = 'the-old-secret-the-old-secret-the-old-1';
const LATER = 'the-new-secret-the-new-secret-the-new-2';
const password = 'correct horse battery';
const HOUR_MS = 3_600_000;
/** Longer than the earlier secret is accepted, so that nothing below expires by itself. */
const LONG_LIFE = '720h';

const realNow = Date.now;
let aheadMs = 0;
Date.now = () => realNow() + aheadMs;
t.teardown(() => {
  Date.now = realNow;
});

t.test('SEC-94: a running server stops accepting tokens of an earlier secret at the configured moment', async (t) => {
  const before = await openExternalFlow(t, ['github'], { JWT_SECRET: EARLIER, JWT_EXP: LONG_LIFE });
  const tokens = async () => {
    const email = freshEmail();
    await before.call('POST', '/admin/users', {
      bearer: signTestToken({ role: 'service_role' }, EARLIER),
      body: { email, password, email_confirm: true },
    });
    return (await before.post('/token?grant_type=password', { email, password })).body;
  };
  /** A browser that returns from the provider. */
  const halfway = async () => {
    const browser = before.openBrowser();
    const as = before.providers.person('github', { email: freshEmail(), subject: Math.floor(Math.random() * 1e9) + 1 });
    const { location } = await browser.leave('github');
    const answer = await before.providers.signIn(location, { as });
    const { pathname, search } = new URL(answer.url);
    return { path: pathname + search, cookie: browser.cookie };
  };
  const [first, second] = [await tokens(), await tokens()];
  const [early, late] = [await halfway(), await halfway()];
  const operator = signTestToken({ role: 'service_role', exp: Math.floor(realNow() / 1000) + 30 * 86_400 }, EARLIER);

  const after = await openTestServer(t, {
    ...before.providers.settings(['github'], 'http://localhost:9999/callback'),
    DB_DATABASE_URL: before.database.url,
    JWT_SECRET: LATER,
    JWT_EXP: LONG_LIFE,
    JWT_PREVIOUS_SECRETS: EARLIER,
    JWT_PREVIOUS_SECRETS_VALID_UNTIL: new Date(realNow() + HOUR_MS).toISOString(),
  });
  const comeBack = async ({ path, cookie }: { path: string; cookie: string }) => {
    const { headers } = await call(after.url, 'GET', path, { headers: { cookie } });
    return headers.get('location');
  };
  const readUser = (bearer: string) => after.call('GET', '/user', { bearer });
  const refresh = (token: string) => after.post('/token?grant_type=refresh_token', { refresh_token: token });
  const listUsers = () => after.call('GET', '/admin/users', { bearer: operator });

  aheadMs = HOUR_MS - 60_000;
  t.equal((await readUser(first.access_token)).status, 200, 'read, and remembered as verified');
  t.equal((await readUser(first.access_token)).status, 200);
  t.equal((await listUsers()).status, 200);
  const renewed = await refresh(first.refresh_token);
  t.equal(renewed.status, 200);
  t.match(await comeBack(early), /#access_token=/);

  aheadMs = HOUR_MS + 1000;
  const badJwt = { status: 403, body: { error_code: 'bad_jwt' } };
  t.match(await readUser(first.access_token), badJwt, 'a token that was remembered as verified');
  t.match(await readUser(second.access_token), badJwt, 'one that never came before');
  t.match(await listUsers(), badJwt, 'one made by hand for operators');
  t.match(await refresh(second.refresh_token), { status: 400, body: { error_code: 'refresh_token_not_found' } });
  t.match(await comeBack(late), /error_code=bad_oauth_state/);
  t.equal((await readUser(renewed.body.access_token)).status, 200, 'what the new secret made serves on');
  t.equal((await refresh(renewed.body.refresh_token)).status, 200);

  aheadMs = 0;
  t.match(await readUser(first.access_token), badJwt, 'a clock that is set back does not revive it');
});

t.test('SEC-94: what an earlier secret sealed opens until that moment', async (t) => {
  const secrets = { jwtSecret: EARLIER, jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null };
  const sealed = createTextSealer(secrets, 'test').seal('row', 'text');
  let now = Date.parse('2029-12-31T23:59:59.999Z');
  const later = {
    jwtSecret: LATER,
    jwtPreviousSecrets: [EARLIER],
    jwtPreviousSecretsValidUntil: '2030-01-01T00:00:00Z',
  };
  const sealer = createTextSealer(later, 'test', () => now);
  t.equal(sealer.open('row', sealed), 'text');
  now += 1;
  t.equal(sealer.open('row', sealed), null);
});
