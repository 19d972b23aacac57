/** Every kind of sign-in leaves the same traces: the time on the account, and an entry in the log. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { asAdmin } from '../support/admin.js';
import { testNumbers } from '../support/change-phone.js';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { readLogLines } from '../support/log-entries.js';
import { passkeySettings, registerUser, trySignIn } from '../support/passkeys.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

t.test('each kind of sign-in sets last_sign_in_at and logs user and session', async (t) => {
  const phone = freshPhone();
  const file = join(t.testdir(), 'log');
  const flow = await openExternalFlow(t, ['github'], {
    ...passkeySettings,
    ...testNumbers(phone),
    MAILER_AUTOCONFIRM: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    LOG_FILE: file,
    LOG_LEVEL: 'info',
  });
  const admin = asAdmin(flow);
  const { user, authenticator } = await registerUser(flow);
  await flow.post('/signup', { phone, password });
  const as = flow.providers.person('github', { email: freshEmail(), subject: 4713 });
  await flow.signIn('github', { as });

  const followLink = async (type: string, email: string) => {
    const { body } = await admin('POST', '/admin/generate_link', { type, email });
    return (await flow.post('/verify', { type, token_hash: body.hashed_token })).body.access_token;
  };
  const kinds: Record<string, () => Promise<string>> = {
    'sign-up': async () => (await flow.post('/signup', { email: freshEmail(), password })).body.access_token,
    anonymous: async () => (await flow.post('/signup', {})).body.access_token,
    password: async () =>
      (await flow.post('/token?grant_type=password', { email: user.email, password })).body.access_token,
    passkey: async () => (await trySignIn(flow, authenticator)).body.access_token,
    magiclink: () => followLink('magiclink', user.email),
    recovery: () => followLink('recovery', user.email),
    invite: () => followLink('invite', freshEmail()),
    phone: async () => {
      await flow.post('/otp', { phone });
      const [, code] = testNumbers(phone)['SMS_TEST_OTP']!.split(':');
      return (await flow.post('/verify', { type: 'sms', phone, token: code })).body.access_token;
    },
    provider: async () => (await flow.signIn('github', { as })).fragment.get('access_token')!,
    'provider with PKCE': async () => {
      const verifier = randomBytes(32).toString('base64url');
      const code_challenge = createHash('sha256').update(verifier).digest('base64url');
      const landing = await flow.signIn('github', { as, query: { code_challenge, code_challenge_method: 's256' } });
      const exchange = { auth_code: landing.query.get('code'), code_verifier: verifier };
      return (await flow.post('/token?grant_type=pkce', exchange)).body.access_token;
    },
  };
  for (const [kind, signIn] of Object.entries(kinds)) {
    await flow.database.admin.query("update users set last_sign_in_at = '2020-01-01'");
    const { sub, session_id, amr } = claimsOf(await signIn());
    const { rows } = await flow.database.admin.query('select last_sign_in_at from users where id = $1', [sub]);
    t.ok(rows[0].last_sign_in_at > new Date('2026-01-01'), `${kind}: last_sign_in_at`);
    const [{ method }] = amr as [{ method: string }];
    const wanted = { msg: 'Login', level: 'info', user_id: sub, session_id, login_method: method };
    const isEntry = (line: string) => line.includes('"Login"') && line.includes(String(session_id));
    const findEntry = () => readLogLines(file).find(isEntry);
    await until(() => findEntry() !== undefined);
    t.match(JSON.parse(findEntry()!), wanted, `${kind}: the log`);
  }
});
