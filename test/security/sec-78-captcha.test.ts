import { captchaProviders, startFakeCaptcha } from '../support/captcha.js';
import { freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';
import { words } from '../support/words.js';

const missing = 'captcha protection: request disallowed (no captcha_token found)';
/** Requests that need a captcha, by path and grant type. */
const guarded = words(`
  /signup /signup/ /token?grant_type=password /token?grant_type=magic /token /otp /magiclink /recover /resend
`);
const open = ['/token?grant_type=refresh_token'];

for (const provider of captchaProviders) {
  t.test(`SEC-78: with ${provider} on, a sign-up or sign-in needs a valid captcha`, async (t) => {
    const fake = await startFakeCaptcha(t, provider);
    const { call, post, database } = await openTestServer(t, {
      ...fake.settings,
      EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    });
    const email = freshEmail();

    await t.test('missing: 400, before other checks', async (t) => {
      for (const path of guarded) {
        for (const body of [{ email, password }, {}, { email, password, captcha_token: ' ' }]) {
          const answer = await post(path, body);
          t.match(answer.body, { code: 400, error_code: 'captcha_failed', msg: missing }, path);
          t.equal(answer.headers.get('x-sb-error-code'), 'captcha_failed');
        }
      }
      t.equal(fake.calls.length, 0);
    });

    await t.test('a body that is no JSON gets its own error', async (t) => {
      const answer = await call('POST', '/signup', { headers: { 'content-type': 'application/json' } });
      t.match(answer.body, { code: 400, error_code: 'bad_json' });
    });

    await t.test('refused: 400 with the codes of the service', async (t) => {
      const answer = await post('/signup', { email, password, captcha_token: 'made-up' });
      t.match(answer.body, {
        code: 400,
        error_code: 'captcha_failed',
        msg: 'captcha protection: request disallowed (invalid-input-response)',
      });
    });

    await t.test('outage: 500, and no account', async (t) => {
      for (const fault of ['cut', 'html', 'silent', 'redirect'] as const) {
        fake.fault = fault;
        const answer = await post('/signup', { email, password, captcha_token: fake.solve() });
        t.match(answer.body, {
          code: 500,
          error_code: 'unexpected_failure',
          msg: 'captcha verification process failed',
          error_id: String,
        });
        t.notMatch(JSON.stringify(answer.body), '127.0.0.1');
      }
      fake.fault = 'none';
      const { rows } = await database.admin.query('select count(*)::int as n from users');
      t.equal(rows[0].n, 0);
    });

    await t.test('passed: the request is served', async (t) => {
      const nested = { gotrue_meta_security: { captcha_token: fake.solve() } };
      const signUp = await post('/signup', { email, password, ...nested });
      t.equal(signUp.status, 200);
      const signIn = await post('/token?grant_type=password', { email, password, captcha_token: fake.solve() });
      t.equal(signIn.status, 200);
      const anonymous = await post('/signup', { captcha_token: fake.solve() });
      t.equal(anonymous.status, 200);
      t.equal(anonymous.body.user.is_anonymous, true);
      const asked = fake.calls.length;
      for (const path of open) {
        const answer = await post(path, { refresh_token: signIn.body.refresh_token });
        t.equal(answer.status, 200, path);
      }
      const update = await call('PUT', '/user', {
        bearer: signIn.body.access_token,
        body: { data: { a: 1 }, captcha_token: 7 },
      });
      t.equal(update.status, 200);
      t.equal(fake.calls.length, asked, 'existing sessions need none');
    });

    await t.test('the address of X-Forwarded-For is sent', async (t) => {
      const headers = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' };
      await call('POST', '/signup', { headers, body: { email, password, captcha_token: 'x' } });
      t.equal(fake.calls.at(-1)?.form.get('remoteip'), '203.0.113.9');
    });

    await t.test('administrators need none, other users do', async (t) => {
      const body = { email: freshEmail(), password };
      const admin = signTestToken({ role: 'service_role' }, JWT_SECRET);
      t.equal((await call('POST', '/signup', { body, bearer: admin })).status, 200);
      for (const bearer of [
        signTestToken({ role: 'authenticated' }, JWT_SECRET),
        signTestToken({ role: 'service_role' }, 'another-secret-another-secret-another'),
        'nonsense',
      ]) {
        const answer = await call('POST', '/signup', { body, bearer });
        t.equal(answer.body.msg, missing, bearer.slice(-8));
      }
    });
  });
}

t.test('without captcha its fields are ignored', async (t) => {
  const { post } = await openTestServer(t);
  const body = { email: freshEmail(), password, captcha_token: 7, gotrue_meta_security: 'x' };
  t.equal((await post('/signup', body)).status, 200);
});
