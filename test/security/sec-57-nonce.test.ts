import { openMailFlow } from '../support/mail-flows.js';
import { type Answer, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const notValid = { status: 422, body: { error_code: 'reauthentication_not_valid' } };

t.test('SEC-57: the nonce is valid for one session, once, and until the password changes', async (t) => {
  const flow = await openMailFlow(t, { SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true' });
  const { call, post } = flow;
  const signIn = async (email: string) => (await post('/token?grant_type=password', { email, password })).body;
  async function signUp() {
    const email = freshEmail();
    await post('/signup', { email, password });
    await flow.follow((await flow.nextMail(email)).link!);
    return { email, here: await signIn(email), there: await signIn(email) };
  }
  async function askNonce(email: string, bearer: string): Promise<string> {
    t.same((await call('GET', '/reauthenticate', { bearer })).body, {});
    const { code, link } = await flow.nextMail(email);
    t.equal(link, undefined, 'a code and no link');
    return code;
  }
  const change = (bearer: string, nonce?: string): Promise<Answer> =>
    call('PUT', '/user', { bearer, body: { password: 'a new passphrase', ...(nonce ? { nonce } : {}) } });

  await t.test('another session, another user, no session', async (t) => {
    const { email, here, there } = await signUp();
    const nonce = await askNonce(email, here.access_token);
    const other = await signUp();
    t.match(await change(here.access_token), { status: 400, body: { error_code: 'reauthentication_needed' } });
    t.match(await change(there.access_token, nonce), notValid, 'another session of the same person');
    t.match(await change(other.here.access_token, nonce), notValid, 'another person');
    const answer = await post('/verify', { type: 'email', email, token: nonce });
    t.equal(answer.status, 403, 'it is no sign-in code');
    const { body: renewed } = await post('/token?grant_type=refresh_token', { refresh_token: here.refresh_token });
    t.equal((await change(renewed.access_token, nonce)).status, 200, 'the session that asked, after a refresh');
  });

  await t.test('once', async (t) => {
    const { email, here } = await signUp();
    const nonce = await askNonce(email, here.access_token);
    t.equal((await change(here.access_token, nonce)).status, 200);
    t.match(await change(here.access_token, nonce), notValid);
  });

  await t.test('twenty at once: one', async (t) => {
    const { email, here } = await signUp();
    const nonce = await askNonce(email, here.access_token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => change(here.access_token, nonce)));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  await t.test('a newer one replaces the older; a rejected change keeps it (SEC-93)', async (t) => {
    const { email, here } = await signUp();
    const older = await askNonce(email, here.access_token);
    const newer = await askNonce(email, here.access_token);
    t.match(await change(here.access_token, older), notValid);
    const same = await call('PUT', '/user', { bearer: here.access_token, body: { password, nonce: newer } });
    t.match(same, { status: 422, body: { error_code: 'same_password' } });
    t.equal((await change(here.access_token, newer)).status, 200);
  });

  await t.test('a password change without a nonce ends it', async (t) => {
    const relaxed = await openMailFlow(t, {
      DB_DATABASE_URL: flow.database.url,
      // Both send from the same outbox.
      SMTP_PORT: String(flow.smtp.port),
    });
    const { email, here } = await signUp();
    const nonce = await askNonce(email, here.access_token);
    const changed = await relaxed.call('PUT', '/user', {
      bearer: here.access_token,
      body: { password: 'another passphrase' },
    });
    t.equal(changed.status, 200);
    t.match(await change(here.access_token, nonce), notValid);
  });

  await t.test('it ends with its session', async (t) => {
    const { email, here } = await signUp();
    const nonce = await askNonce(email, here.access_token);
    await call('POST', '/logout?scope=local', { bearer: here.access_token });
    const ended = { status: 403, body: { error_code: 'session_not_found' } };
    t.match(await change(here.access_token, nonce), ended);
    const { rows } = await flow.database.admin.query('select id from one_time_tokens where recipient = $1', [email]);
    t.same(rows, [], 'and the nonce with it');
  });
});
