/** Notices as texts, for accounts without a confirmed address. */

import { loadConfig } from '../../src/server/config/load.js';
import { noticeKinds, noticeName } from '../../src/server/message-kinds.js';
import { adminToken } from '../support/admin.js';
import { changePhone, testNumbers } from '../support/change-phone.js';
import { openExternalFlow } from '../support/external-flow.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { startLeakService } from '../support/leaked-passwords.js';
import { openMailFlow } from '../support/mail-flows.js';
import { outboxRows } from '../support/mailer.js';
import { openPhoneFlow, type PhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, password, type TestServer, testEnvironment } from '../support/server.js';
import { type FakeGateways, startFakeGateways } from '../support/sms-gateways.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const on = (...kinds: string[]) =>
  Object.fromEntries(kinds.map((kind) => [`SMS_NOTIFICATIONS_${kind}_ENABLED`, 'true']));
const allOn = on(...noticeKinds.map(noticeName));

/** Waits a little for texts that should not come. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

const textsTo = (gateways: FakeGateways, phone: string) =>
  gateways.requests.filter(({ fields }) => fields['To'] === `+${phone}`).map(({ fields }) => fields['Body'] ?? '');

async function nextText(gateways: FakeGateways, phone: string, number = 1): Promise<string> {
  await until(() => textsTo(gateways, phone).length >= number);
  return textsTo(gateways, phone)[number - 1]!;
}

/** An account with a confirmed number only, signed in. */
async function openAccount({ call }: Pick<TestServer, 'call'>, phone = freshPhone(), agent = FIREFOX) {
  const { body } = await call('POST', '/signup', { body: { phone, password }, headers: { 'user-agent': agent } });
  return { phone, id: body.user.id as string, bearer: body.access_token as string };
}

const openFlow = (t: Test, settings: Record<string, string>): Promise<PhoneFlow> =>
  openPhoneFlow(t, 'twilio', { SMS_AUTOCONFIRM: 'true', ...settings });

t.test('PASSWORD_CHANGED: when and from where, without a mail server, once for each change', async (t) => {
  const flow = await openFlow(t, {
    ...on('PASSWORD_CHANGED'),
    RATE_LIMIT_NOTIFICATIONS_SENT: '2',
    RATE_LIMIT_SMS_SENT: '0',
  });
  const { phone, bearer } = await openAccount(flow);
  const change = (text: string) =>
    flow.call('PUT', '/user', { bearer, body: { password: text }, headers: { 'user-agent': FIREFOX } });
  t.equal((await change('another battery staple')).status, 200);
  t.match(
    await nextText(flow.gateways, phone),
    /^Your password was changed \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, Firefox on Windows\)\. If it was not you, choose a new password at http:\/\/localhost:3000\.$/,
  );
  t.equal((await change('another battery staple')).status, 422, 'a refused change');
  t.equal((await change('a third battery staple')).status, 200);
  await nextText(flow.gateways, phone, 2);
  t.equal((await change('a fourth battery staple')).status, 200, 'at the limit of the recipient');
  await settled();
  t.equal(flow.gateways.requests.length, 2);
  t.same(await outboxRows(flow.database), []);
});

t.test('PHONE_CHANGED goes to the number before', async (t) => {
  const next = freshPhone();
  const flow = await openFlow(t, { ...on('PHONE_CHANGED', 'IDENTITY_LINKED'), ...testNumbers(next) });
  const { phone, bearer } = await openAccount(flow);
  t.equal((await changePhone(flow, bearer, next)).status, 200);
  t.match(await nextText(flow.gateways, phone), /^Your phone number was changed \(/);
  await settled();
  t.equal(flow.gateways.requests.length, 1);
});

t.test('PHONE_CHANGED by a code', async (t) => {
  const flow = await openPhoneFlow(t, 'twilio', on('PHONE_CHANGED'));
  const [phone, next] = [freshPhone(), freshPhone()];
  await flow.post('/otp', { phone });
  const signedIn = await flow.post('/verify', { type: 'sms', phone, token: await flow.nextCode(phone) });
  await flow.call('PUT', '/user', { bearer: signedIn.body.access_token, body: { phone: next } });
  const token = await flow.nextCode(next);
  await settled();
  t.equal(textsTo(flow.gateways, phone).length, 1, 'not before the change');
  t.equal((await flow.post('/verify', { type: 'phone_change', phone: next, token })).status, 200);
  t.match(await nextText(flow.gateways, phone, 2), /^Your phone number was changed \(/);
});

t.test('SIGN_IN_NEW_DEVICE, SESSIONS_REVOKED and ACCOUNT_DELETED', async (t) => {
  const flow = await openFlow(t, on('SIGN_IN_NEW_DEVICE', 'SESSIONS_REVOKED', 'ACCOUNT_DELETED'));
  const { phone, id } = await openAccount(flow);
  const signIn = async (agent: string) =>
    (
      await flow.call('POST', '/token?grant_type=password', {
        body: { phone, password },
        headers: { 'user-agent': agent },
      })
    ).body.access_token as string;
  const bearer = await signIn(SAFARI);
  t.match(
    await nextText(flow.gateways, phone),
    /^A new device signed in to your account \(.* UTC, Safari on iPhone\)\./,
  );
  t.equal((await flow.call('POST', '/logout?scope=others', { bearer })).status, 204);
  t.match(await nextText(flow.gateways, phone, 2), /^Your other sessions were ended \(/);
  t.equal((await flow.call('DELETE', `/admin/users/${id}`, { bearer: adminToken() })).status, 200);
  t.match(await nextText(flow.gateways, phone, 3), /^Your account was deleted \([^,]* UTC\)\.$/);
  await settled();
  t.equal(textsTo(flow.gateways, phone).length, 3);
});

t.test('PASSWORD_LEAKED', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('trustno1!');
  const settings = {
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    PASSWORD_LEAKED_ACTION: 'notify',
  };
  const flow = await openFlow(t, { ...settings, ...on('PASSWORD_LEAKED') });
  const phone = freshPhone();
  const body = { phone, password: 'trustno1!', phone_confirm: true };
  t.equal((await flow.call('POST', '/admin/users', { bearer: adminToken(), body })).status, 200);
  const signIn = () => flow.post('/token?grant_type=password', { phone, password: 'trustno1!' });
  t.equal((await signIn()).status, 200);
  t.match(
    await nextText(flow.gateways, phone),
    /^Your password is in a list of leaked passwords \(.*\)\. Choose a new one at http:\/\/localhost:3000\.$/,
  );
  await signIn();
  await settled();
  t.equal(flow.gateways.requests.length, 1);
});

t.test('IDENTITY_LINKED and IDENTITY_UNLINKED', async (t) => {
  const gateways = await startFakeGateways(t);
  const flow = await openExternalFlow(t, ['github'], {
    ...gateways.settings('twilio'),
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    EXTERNAL_GITHUB_EMAIL_OPTIONAL: 'true',
    ...on('IDENTITY_LINKED', 'IDENTITY_UNLINKED'),
  });
  const { phone, bearer } = await openAccount(flow);
  const as = flow.providers.person('github', { email: null, others: [], subject: 88_001 });
  t.ok((await flow.link('github', bearer, { as })).fragment.get('access_token'));
  t.match(await nextText(gateways, phone), /^A new sign-in method was linked to your account \(/);
  const { body } = await flow.call('GET', '/user', { bearer });
  const github = body.identities.find(({ provider }: { provider: string }) => provider === 'github');
  t.equal((await flow.call('DELETE', `/user/identities/${github.identity_id}`, { bearer })).status, 200);
  t.match(await nextText(gateways, phone, 2), /^A sign-in method was removed from your account \(/);
});

t.test('EMAIL_CHANGED and RECOVERY_USED of an account whose address was never proven', async (t) => {
  const gateways = await startFakeGateways(t);
  const flow = await openMailFlow(t, {
    ...gateways.settings('twilio'),
    EXTERNAL_PHONE_ENABLED: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: 'true',
    ...on('EMAIL_CHANGED', 'RECOVERY_USED'),
  });
  const open = async () => {
    const [phone, email] = [freshPhone(), freshEmail()];
    const body = { phone, email, password, phone_confirm: true };
    t.equal((await flow.call('POST', '/admin/users', { bearer: adminToken(), body })).status, 200);
    const { access_token: bearer } = (await flow.post('/token?grant_type=password', { phone, password })).body;
    return { phone, email, bearer };
  };
  const changed = await open();
  const next = freshEmail();
  t.equal((await flow.call('PUT', '/user', { bearer: changed.bearer, body: { email: next } })).status, 200);
  t.equal((await flow.follow((await flow.nextMail(next)).link!)).status, 303);
  t.match(await nextText(gateways, changed.phone), /^Your email address was changed \(/);
  t.equal(await flow.mailsTo(changed.email), 0);
  t.equal((await flow.database.admin.query('select 1 from address_undos')).rowCount, 0, 'a text has no link');

  const recovered = await open();
  await flow.post('/recover', { email: recovered.email });
  await flow.follow((await flow.nextMail(recovered.email)).link!);
  t.match(await nextText(gateways, recovered.phone), /^Your account was recovered \(/);
});

t.test('an address is preferred, and a number that was never proven gets nothing', async (t) => {
  const gateways = await startFakeGateways(t);
  const flow = await openMailFlow(t, {
    ...gateways.settings('twilio'),
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    SMS_TEST_OTP: '15550001111:123456',
    MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true',
    ...allOn,
    PASSWORD_LEAKED_ACTION: 'notify',
  });
  const change = (bearer: string) =>
    flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } });

  const unproven = await openAccount(flow);
  await flow.database.admin.query('update users set phone_confirmed_at = null where id = $1', [unproven.id]);
  t.equal((await change(unproven.bearer)).status, 200);

  const both = await openAccount(flow);
  const email = freshEmail();
  await flow.database.admin.query('update users set email = $2, email_confirmed_at = now() where id = $1', [
    both.id,
    email,
  ]);
  t.equal((await change(both.bearer)).status, 200);
  t.equal((await flow.nextMail(email)).subject, 'Your password was changed');

  const test = await openAccount(flow, '15550001111');
  t.equal((await change(test.bearer)).status, 200);
  await settled();
  t.same(gateways.requests, []);
  t.same(await outboxRows(flow.database), []);
});

t.test('no text while only the mail is on', async (t) => {
  const flow = await openFlow(t, { MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true' });
  const { bearer } = await openAccount(flow);
  t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
  await settled();
  t.same(flow.gateways.requests, []);
});

t.test('administrators’ changes', async (t) => {
  const flow = await openFlow(t, { ...on('PASSWORD_CHANGED'), MAILER_NOTIFICATIONS_ADMIN_CHANGES: 'true' });
  const { phone, id } = await openAccount(flow);
  const body = { password: 'another battery staple' };
  t.equal((await flow.call('PUT', `/admin/users/${id}`, { bearer: adminToken(), body })).status, 200);
  t.match(await nextText(flow.gateways, phone), /^Your password was changed \([^,]* UTC\)\.$/, 'no device, no advice');
});

t.test('a template of one’s own, and one that does not work', async (t) => {
  const next = freshPhone();
  const flow = await openFlow(t, {
    ...on('PHONE_CHANGED', 'PASSWORD_CHANGED'),
    ...testNumbers(next),
    SMS_TEMPLATES_PHONE_CHANGED_NOTIFICATION: '{{ .OldPhone }} -> {{ .Phone }} & <b>{{ .Data.name }}</b>',
    SMS_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION: '{{ if }}',
  });
  const phone = freshPhone();
  const signUp = await flow.post('/signup', { phone, password, data: { name: 'Ada & Co' } });
  const bearer = signUp.body.access_token;
  await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } });
  t.match(await nextText(flow.gateways, phone), /^Your password was changed \(/, 'the built-in one');
  await changePhone(flow, bearer, next);
  t.equal(await nextText(flow.gateways, phone, 2), `${phone} -> ${next} & <b>Ada & Co</b>`);
});

t.test('a gateway that is away: the notice waits, and leaves once', async (t) => {
  const flow = await openFlow(t, on('PASSWORD_CHANGED'));
  const { phone, bearer } = await openAccount(flow);
  flow.gateways.mode = 'unavailable';
  t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
  await until(async () =>
    (await outboxRows(flow.database)).some((row) => row['attempts'] !== 0 && !row['claimed_until']),
  );
  const [row] = await outboxRows(flow.database);
  t.notOk(JSON.stringify(row).includes(phone), 'sealed');
  flow.gateways.mode = 'good';
  flow.gateways.requests.length = 0;
  await flow.database.admin.query("update outbox set created_at = now() - interval '2 days', next_attempt_at = now()");
  await nextText(flow.gateways, phone);
  await until(async () => (await outboxRows(flow.database)).length === 0);
  t.equal(flow.gateways.requests.length, 1);
});

t.test('a gateway whose answer is lost gets the text once', async (t) => {
  const flow = await openFlow(t, on('PASSWORD_CHANGED'));
  const { bearer } = await openAccount(flow);
  flow.gateways.mode = 'cut';
  t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
  await until(() => flow.gateways.requests.length === 1);
  await until(async () => (await outboxRows(flow.database)).length === 0);
  await settled();
  t.equal(flow.gateways.requests.length, 1);
});

t.test('through the hook send_sms: the kind and the whole text, and no code', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const flow = await openFlow(t, { ...hookSettingsOf('SEND_SMS', receiver.url), ...on('PASSWORD_CHANGED') });
  const { phone, id, bearer } = await openAccount(flow);
  t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
  await until(() => receiver.calls.length === 1);
  const { sms, user, metadata } = receiver.calls[0]!.body;
  t.match(sms, { otp: '', phone, sms_type: 'password_changed_notification', message: /^Your password was changed \(/ });
  t.equal(user.id, id);
  t.equal(metadata.ip_address, '127.0.0.1');
  t.same(flow.gateways.requests, []);
});

t.test('a notice that could not leave in any way stops the start', async (t) => {
  const check = (settings: Record<string, string>) => () =>
    loadConfig({ environment: testEnvironment('postgres://127.0.0.1/x', settings), file: null });
  t.throws(check(on('PASSWORD_CHANGED')), {
    message:
      /AUTH_SMS_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED is on, and no text can be sent: set AUTH_SMS_PROVIDER or AUTH_HOOK_SEND_SMS_ENABLED/,
  });
  t.doesNotThrow(check({ ...on('PASSWORD_CHANGED'), SMS_PROVIDER: 'log' }));
  t.doesNotThrow(check({ ...on('PASSWORD_CHANGED'), ...hookSettingsOf('SEND_SMS', 'https://hooks.example.com/sms') }));
});
