import { verifyAccessToken } from '../../src/server/sessions/access-token.js';
import { throwsApiError } from '../support/api-errors.js';
import { openMailFlow } from '../support/mail-flows.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { shiftClock } from '../support/shifted-clock.js';
import { secretKeySet } from '../support/signing-keys.js';
import { type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const SKEW_SECONDS = 60;
const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

t.test('REL-23: thirty seconds of leeway on nbf and iat, none on exp', async (t) => {
  const keys = secretKeySet(JWT_SECRET);
  const now = 1_800_000_000;
  const verify = (claims: object) =>
    verifyAccessToken(signTestToken({ iat: now, exp: now + 60, ...claims }, JWT_SECRET), keys, now);
  for (const claim of ['nbf', 'iat']) {
    t.ok(verify({ [claim]: now + 30 }), `${claim} 30 s ahead`);
    throwsApiError(t, () => verify({ [claim]: now + 31 }), { errorCode: 'bad_jwt' }, `${claim} 31 s ahead`);
  }
  t.ok(verify({ exp: now + 1 }));
  throwsApiError(t, () => verify({ exp: now }), { errorCode: 'bad_jwt' }, 'exp is now');
});

t.test('REL-23: shifted tokens', async (t) => {
  const server = await openTestServer(t);
  const { body: person } = await server.post('/signup', { email: freshEmail(), password });
  const { sub, aud } = JSON.parse(Buffer.from(person.access_token.split('.')[1], 'base64url').toString());
  // Farther off than 31, for the second may end on the way.
  for (const [change, status] of [
    [{}, 200],
    [{ iat: seconds(28), nbf: seconds(28) }, 200],
    [{ iat: seconds(45) }, 403],
    [{ nbf: seconds(45) }, 403],
    [{ iat: seconds(-SKEW_SECONDS), exp: seconds(5) }, 200],
    [{ iat: seconds(-SKEW_SECONDS), exp: seconds(0) }, 403],
    [{ exp: seconds(-1) }, 403],
  ] as const) {
    const bearer = signTestToken({ sub, aud, ...change }, JWT_SECRET);
    t.equal((await server.call('GET', '/user', { bearer })).status, status, JSON.stringify(change));
  }
});

/** One instance in time, one ahead and one behind by a minute, with the same database and mail server. */
async function openInstances(t: Test, settings: Record<string, string>) {
  const flow = await openMailFlow(t, settings);
  const shared = {
    MAILER_AUTOCONFIRM: 'false',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(flow.smtp.port),
    SMTP_ADMIN_EMAIL: 'auth@example.com',
    SMTP_MAX_FREQUENCY: '0',
    RATE_LIMIT_EMAIL_SENT: '100000',
    ...settings,
  };
  const at = (offset: number) => spawnServer(t, flow.database.url, shared, { NODE_OPTIONS: shiftClock(offset) });
  const [ahead, behind] = await Promise.all([at(SKEW_SECONDS), at(-SKEW_SECONDS)]);
  return { ...flow, instances: { 'in time': flow.url, ahead: ahead.url, behind: behind.url } };
}

t.test('REL-23: three instances a minute apart', async (t) => {
  const { instances, nextMail, database } = await openInstances(t, {
    JWT_EXP: '40',
    MAILER_OTP_EXP: '30',
    SESSIONS_TIMEBOX: '30s',
    SESSIONS_INACTIVITY_TIMEOUT: '25s',
    SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '10',
  });

  await t.test("the ages of codes, intervals and sessions are the database's", async (t) => {
    const pairs = Object.entries(instances).flatMap((from) =>
      Object.entries(instances).map((to) => [from, to] as const),
    );
    const refresh = (url: string, refresh_token: string) =>
      call(url, 'POST', '/token?grant_type=refresh_token', { body: { refresh_token } });
    const openSession = async (from: string, to: string) => {
      const email = freshEmail();
      await call(from, 'POST', '/otp', { body: { email } });
      const { code } = await nextMail(email);
      return call(to, 'POST', '/verify', { body: { type: 'email', email, token: code } });
    };

    for (const [[from, fromUrl], [to, toUrl]] of pairs) {
      const name = `${from}, then ${to}`;
      const opened = await openSession(fromUrl, toUrl);
      t.equal(opened.status, 200, `${name}: a code is as old as the database says`);
      const child = await refresh(fromUrl, opened.body.refresh_token);
      t.equal(child.status, 200, `${name}: a session, too`);
      const again = await refresh(toUrl, opened.body.refresh_token);
      t.equal(again.body.refresh_token, child.body.refresh_token, `${name}: the parent inside the interval`);
    }

    for (const [name, url] of Object.entries(instances)) {
      const email = freshEmail();
      await call(url, 'POST', '/otp', { body: { email } });
      const { code } = await nextMail(email);
      await database.admin.query("update one_time_tokens set created_at = created_at - interval '31 seconds'");
      const late = await call(url, 'POST', '/verify', { body: { type: 'email', email, token: code } });
      t.equal(late.status, 403, `${name}: a code of 31 s has expired`);

      const { body: session } = await openSession(url, url);
      await refresh(url, session.refresh_token);
      await database.admin.query("update sessions set refreshed_at = refreshed_at - interval '11 seconds'");
      t.equal((await refresh(url, session.refresh_token)).body.error_code, 'refresh_token_already_used', name);

      const { body: old } = await openSession(url, url);
      await database.admin.query("update sessions set created_at = created_at - interval '31 seconds'");
      t.equal((await refresh(url, old.refresh_token)).body.error_code, 'session_expired', `${name}: 31 s`);
    }
  });

  await t.test('access tokens get no more than the leeway', async (t) => {
    const email = freshEmail();
    await call(instances['in time'], 'POST', '/otp', { body: { email } });
    const { code } = await nextMail(email);
    let { body: tokens } = await call(instances['in time'], 'POST', '/verify', {
      body: { type: 'email', email, token: code },
    });
    const issueAt = async (url: string): Promise<string> => {
      ({ body: tokens } = await call(url, 'POST', '/token?grant_type=refresh_token', {
        body: { refresh_token: tokens.refresh_token },
      }));
      return tokens.access_token;
    };
    const useAt = async (url: string, bearer: string) => (await call(url, 'GET', '/user', { bearer })).body;
    const [inTime, ahead, behind] = [instances['in time'], instances.ahead, instances.behind];
    for (const url of [inTime, ahead, behind]) t.match(await useAt(url, await issueAt(url)), { email }, 'at home');
    t.match(await useAt(inTime, await issueAt(ahead)), { error_code: 'bad_jwt', msg: /used before issued/ });
    t.match(await useAt(behind, await issueAt(inTime)), { error_code: 'bad_jwt', msg: /used before issued/ });
    t.match(
      await useAt(inTime, await issueAt(behind)),
      { error_code: 'bad_jwt', msg: /is expired/ },
      'no leeway on exp',
    );
    t.match(await useAt(ahead, await issueAt(inTime)), { error_code: 'bad_jwt', msg: /is expired/ });
  });
});
