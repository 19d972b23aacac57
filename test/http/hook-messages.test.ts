/** The hooks send_email and send_sms, in place of mail server and gateway. */

import { adminToken } from '../support/admin.js';
import { hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { freshEmail, freshPhone, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const rowsOf = async ({ database }: TestServer) =>
  (
    await database.admin.query(
      'select (select count(*)::int from users) as users, (select count(*)::int from one_time_tokens) as tokens',
    )
  ).rows[0];

const base = { MAILER_AUTOCONFIRM: 'false', RATE_LIMIT_EMAIL_SENT: '1000' };

t.test('send_email during the request', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const server = await openTestServer(t, { ...base, ...hookSettingsOf('SEND_EMAIL', receiver.url) });
  const email = freshEmail();

  await t.test('a failure is the answer, and leaves neither account, code nor interval', async (t) => {
    receiver.answer = () => ({ error: { http_code: 429, message: 'later' } });
    t.match(await server.post('/signup', { email, password }), { status: 429, body: { msg: 'later' } });
    receiver.answer = () => reply(500);
    t.equal((await server.post('/signup', { email, password })).status, 500);
    t.same(await rowsOf(server), { users: 0, tokens: 0 });
    receiver.answer = () => ({});
  });

  await t.test('the code and the link of a sign-up work', async (t) => {
    const signUp = await server.post('/signup', { email, password, data: { plan: 'gold' } });
    t.equal(signUp.status, 200);
    const { user, email_data, metadata } = receiver.calls.at(-1)!.body;
    t.match(metadata, { name: 'send-email', ip_address: '127.0.0.1' });
    t.match(user, { id: signUp.body.id, email, user_metadata: { plan: 'gold' } });
    t.match(email_data, {
      token: /^\d{6}$/,
      token_hash: /^[0-9a-f]{56}$/,
      redirect_to: 'http://localhost:3000',
      email_action_type: 'signup',
      site_url: 'http://localhost:9999',
      token_new: '',
      token_hash_new: '',
      old_email: '',
      old_phone: '',
      provider: '',
      factor_type: '',
    });
    const verified = await server.post('/verify', { type: 'signup', token_hash: email_data.token_hash });
    t.equal(verified.status, 200);
    t.equal(receiver.calls.length, 3, 'one call a mail');

    const change = { email: `new-${email}` };
    const bearer = verified.body.access_token;
    t.equal((await server.call('PUT', '/user', { body: change, bearer })).status, 200);
    const both = receiver.calls.at(-1)!.body;
    t.equal(receiver.calls.length, 4, 'both sides in one call');
    t.match(both.user, { email, new_email: change.email });
    t.equal(both.email_data.email_action_type, 'email_change');
    const { token, token_new, token_hash, token_hash_new } = both.email_data;
    const verify = (address: string, code: string) =>
      server.post('/verify', { type: 'email_change', email: address, token: code });
    t.equal((await verify(email, token)).status, 200, 'token is for the present address');
    t.equal((await verify(change.email, token_new)).status, 200, 'token_new is for the new one');
    t.ok(token_hash !== token_hash_new && token_hash && token_hash_new);
  });

  await t.test('an unknown address is not written to', async (t) => {
    const before = receiver.calls.length;
    t.equal((await server.post('/recover', { email: freshEmail() })).status, 200);
    t.equal(receiver.calls.length, before);
  });
});

t.test('send_email in the background, again and again with one webhook-id', async (t) => {
  let calls = 0;
  const receiver = await openHookReceiver(t, () => {
    calls += 1;
    return calls === 1 ? reply(500) : {};
  });
  const server = await openTestServer(t, {
    ...base,
    ...hookSettingsOf('SEND_EMAIL', receiver.url),
    HOOK_SEND_EMAIL_BACKGROUND: 'true',
  });
  const email = freshEmail();
  t.equal((await server.post('/signup', { email, password })).status, 200);
  await until(() => receiver.calls.length === 2);
  t.equal(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size, 1);
  const { user, email_data, metadata } = receiver.calls[1]!.body;
  t.equal(metadata.ip_address, '127.0.0.1');
  t.match(user, { email, id: /^[0-9a-f-]{36}$/ });
  t.equal((await server.post('/verify', { type: 'signup', email, token: email_data.token })).status, 200);
});

t.test(
  'a notice has the type that receivers for supabase/auth know, and its undo link in members of its own',
  async (t) => {
    const receiver = await openHookReceiver(t, () => ({}));
    const server = await openTestServer(t, {
      ...hookSettingsOf('SEND_EMAIL', receiver.url),
      MAILER_AUTOCONFIRM: 'true',
      MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
      MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: 'true',
      SITE_URL: 'https://app.example.com',
    });
    const email = freshEmail();
    const { body } = await server.post('/signup', { email, password });
    const confirm = { bearer: adminToken(), body: { email_confirm: true } };
    await server.call('PUT', `/admin/users/${body.user.id}`, confirm);
    await server.call('PUT', '/user', { body: { email: `new-${email}` }, bearer: body.access_token });
    const { token_hash } = receiver.calls.at(-1)!.body.email_data;
    t.equal((await server.post('/verify', { type: 'email_change', token_hash })).status, 200);
    await until(() => receiver.calls.length === 2);
    const notice = receiver.calls[1]!.body.email_data;
    const { undo_token_hash, undo_url, ...rest } = notice;
    t.same(rest, {
      ...{ token: '', token_hash: '', token_new: '', token_hash_new: '' },
      ...{ email_action_type: 'email_changed_notification', old_email: email, recipient: email },
      ...{ old_phone: '', provider: '', factor_type: '' },
      ...{ site_url: 'http://localhost:9999', redirect_to: 'https://app.example.com' },
    });
    t.match(undo_token_hash, /^[0-9a-f]{56}$/);
    const query = `token=${undo_token_hash}&type=email_change_undo&redirect_to=https://app.example.com`;
    t.equal(undo_url, `http://localhost:9999/verify?${query}`);
    const undone = await server.post('/verify', { type: 'email_change_undo', token_hash: undo_token_hash });
    t.equal(undone.body.user?.email, email);
    await until(() => receiver.calls.length === 3);
    t.notHas(
      receiver.calls[2]!.body.email_data,
      { undo_url: String },
      'the notice to the replaced address has no link',
    );
  },
);

t.test('send_sms in place of a gateway', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const server = await openTestServer(t, {
    ...base,
    ...hookSettingsOf('SEND_SMS', receiver.url),
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_TEST_OTP: '15550001111:123456',
  });
  const phone = freshPhone();
  receiver.answer = () => ({ error: { http_code: 422, message: 'no coverage' } });
  t.match(await server.post('/signup', { phone, password }), { status: 422, body: { msg: 'no coverage' } });
  t.same(await rowsOf(server), { users: 0, tokens: 0 });
  receiver.answer = () => ({});
  const signUp = await server.post('/signup', { phone, password });
  t.equal(signUp.status, 200, 'the interval was given back');
  const { sms, user, metadata } = receiver.calls.at(-1)!.body;
  t.match(metadata, { name: 'send-sms', ip_address: '127.0.0.1' });
  t.match(user, { phone, id: signUp.body.id });
  t.match(sms, { phone, otp: /^\d{6}$/ });
  t.equal((await server.post('/verify', { type: 'sms', phone, token: sms.otp })).status, 200);
  const before = receiver.calls.length;
  t.equal((await server.post('/otp', { phone: '15550001111' })).status, 200);
  t.equal(receiver.calls.length, before, 'a test number gets no text');
});
