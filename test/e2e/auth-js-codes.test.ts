import { AuthClient } from '@supabase/auth-js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** Where a client of the browser keeps its PKCE verifier between the request and the exchange. */
function memoryStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

t.test('@supabase/auth-js, unchanged: codes, links, recovery, changes of address, reauthentication', async (t) => {
  const flow = await openMailFlow(t, {
    EXTERNAL_PHONE_ENABLED: 'true',
    SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
    SMS_TEST_OTP: '15555550188:135791',
  });
  const newClient = (flowType: 'implicit' | 'pkce' = 'implicit') =>
    new AuthClient({
      url: flow.url,
      flowType,
      autoRefreshToken: false,
      persistSession: true,
      detectSessionInUrl: false,
      storage: memoryStorage(),
    });

  await t.test('signUp, resend, verifyOtp', async (t) => {
    const client = newClient();
    const email = freshEmail();
    const signedUp = await client.signUp({ email, password });
    t.equal(signedUp.error, null);
    t.equal(signedUp.data.session, null);
    await flow.nextMail(email);
    t.equal((await client.resend({ type: 'signup', email })).error, null);
    const { code } = await flow.nextMail(email);
    const wrong = await client.verifyOtp({ email, token: code === '111111' ? '222222' : '111111', type: 'email' });
    t.match(wrong.error, { status: 403, code: 'otp_expired' });
    const verified = await client.verifyOtp({ email, token: code, type: 'email' });
    t.equal(verified.error, null);
    t.equal(verified.data.user?.email, email);
    t.ok(verified.data.session?.access_token);
  });

  await t.test('signInWithOtp by mail and by phone', async (t) => {
    const client = newClient();
    const email = freshEmail();
    t.equal((await client.signInWithOtp({ email, options: { data: { plan: 'pro' } } })).error, null);
    const verified = await client.verifyOtp({ email, token: (await flow.nextMail(email)).code, type: 'email' });
    t.equal(verified.data.user?.user_metadata['plan'], 'pro');
    const unknown = await client.signInWithOtp({ email: freshEmail(), options: { shouldCreateUser: false } });
    t.match(unknown.error, { status: 422, code: 'otp_disabled' });

    const phone = '15555550188';
    t.equal((await newClient().signInWithOtp({ phone })).error, null);
    const byPhone = await newClient().verifyOtp({ phone, token: '135791', type: 'sms' });
    t.equal(byPhone.error, null);
    t.equal(byPhone.data.user?.phone, phone);
  });

  await t.test('token_hash, as in mails that link to a page of the operator', async (t) => {
    const client = newClient();
    const email = freshEmail();
    await client.signInWithOtp({ email });
    const token_hash = (await flow.nextMail(email)).link!.searchParams.get('token')!;
    t.equal((await client.verifyOtp({ token_hash, type: 'email' })).error, null);
  });

  await t.test('resetPasswordForEmail, then a new password with reauthenticate', async (t) => {
    const client = newClient();
    const email = freshEmail();
    await client.signUp({ email, password });
    await client.verifyOtp({ email, token: (await flow.nextMail(email)).code, type: 'signup' });
    t.equal((await client.resetPasswordForEmail(email, { redirectTo: 'https://app.example.com/reset' })).error, null);
    const mail = await flow.nextMail(email);
    t.equal(mail.link!.searchParams.get('redirect_to'), 'https://app.example.com/reset');
    t.equal((await client.verifyOtp({ email, token: mail.code, type: 'recovery' })).error, null);

    const needed = await client.updateUser({ password: 'a new passphrase' });
    t.match(needed.error, { code: 'reauthentication_needed' });
    t.equal((await client.reauthenticate()).error, null);
    const nonce = (await flow.nextMail(email)).code;
    t.equal((await client.updateUser({ password: 'a new passphrase', nonce })).error, null);
    t.equal((await newClient().signInWithPassword({ email, password: 'a new passphrase' })).error, null);
  });

  await t.test('updateUser with a new email, both sides by code', async (t) => {
    const client = newClient();
    const [email, next] = [freshEmail(), freshEmail()];
    await client.signInWithOtp({ email });
    await client.verifyOtp({ email, token: (await flow.nextMail(email)).code, type: 'email' });
    const changed = await client.updateUser({ email: next });
    t.equal(changed.data.user?.new_email, next);
    const half = await client.verifyOtp({ email, token: (await flow.nextMail(email)).code, type: 'email_change' });
    t.equal(half.error, null);
    const done = await client.verifyOtp({ email: next, token: (await flow.nextMail(next)).code, type: 'email_change' });
    t.equal(done.data.user?.email, next);
  });

  await t.test('PKCE: exchangeCodeForSession after a link was followed', async (t) => {
    const client = newClient('pkce');
    const email = freshEmail();
    await client.signUp({ email, password });
    const followed = await flow.follow((await flow.nextMail(email)).link!);
    const exchanged = await client.exchangeCodeForSession(followed.query.get('code')!);
    t.equal(exchanged.error, null);
    t.equal(exchanged.data.user?.email, email);

    await client.signInWithOtp({ email });
    const again = await flow.follow((await flow.nextMail(email)).link!);
    t.equal((await client.exchangeCodeForSession(again.query.get('code')!)).error, null);
  });
});
