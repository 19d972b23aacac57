import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { claimsOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { type FakeGateways, startFakeGateways } from '../support/sms-gateways.js';
import { type Test, t } from '../support/tap.js';

const ON = { MFA_PHONE_ENROLL_ENABLED: 'true', MFA_PHONE_VERIFY_ENABLED: 'true' };
const NUMBER = '+1 555 555 0100';
const wrong = { status: 422, body: { error_code: 'mfa_verification_failed', msg: 'Invalid MFA Phone code entered' } };

async function open(t: Test, settings: Record<string, string> = {}) {
  const gateways = await startFakeGateways(t);
  const server = await openTestServer(t, { ...gateways.settings('twilio'), ...ON, ...settings });
  return { gateways, server, ...(await signUp(server)) };
}

async function signUp(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const bearer = session.access_token;
  const enrol = (body: object = {}) =>
    server.call('POST', '/factors', { bearer, body: { factor_type: 'phone', phone: NUMBER, ...body } });
  const challenge = (id: string, body: object = {}) =>
    server.call('POST', `/factors/${id}/challenge`, { bearer, body });
  const verify = (id: string, challenge_id: string, code: string) =>
    server.call('POST', `/factors/${id}/verify`, { bearer, body: { challenge_id, code } });
  return { email, session, bearer, enrol, challenge, verify };
}

const lastCode = ({ requests }: FakeGateways): string => /\d{6,10}/.exec(requests.at(-1)!.fields['Body']!)![0];

t.test('a phone factor: enrolled, challenged by a text, verified', async (t) => {
  const { gateways, server, session, bearer, enrol, challenge, verify } = await open(t, {
    MFA_PHONE_OTP_LENGTH: '8',
    MFA_PHONE_TEMPLATE: 'Second step: {{ .Code }}!',
  });
  const enrolled = await enrol({ friendly_name: 'my phone' });
  t.match(enrolled, { status: 200, body: { type: 'phone', friendly_name: 'my phone', phone: NUMBER } });
  const { id } = enrolled.body;
  t.same(gateways.requests, [], 'enrolling sends nothing');
  const listed = await server.call('GET', '/user', { bearer });
  t.match(listed.body.factors, [{ id, factor_type: 'phone', phone: '15555550100', status: 'unverified' }]);
  t.equal(listed.body.phone, '', 'the number of the account is another one');

  const opened = await challenge(id);
  t.match(opened, { status: 200, body: { type: 'phone' } });
  t.equal(gateways.requests.length, 1);
  t.match(gateways.requests[0]!.fields, { To: '+15555550100', Body: /^Second step: \d{8}!$/ });
  const code = lastCode(gateways);
  const { admin } = server.database;
  const { rows } = await admin.query('select code_hash from mfa_challenges where id = $1', [opened.body.id]);
  t.match(rows[0], { code_hash: /^[\w-]{43}$/ });
  t.match(await verify(id, opened.body.id, code === '00000000' ? '11111111' : '00000000'), wrong);
  const verified = await verify(id, opened.body.id, ` ${code.slice(0, 4)}-${code.slice(4)} `);
  t.equal(verified.status, 200);
  t.match(claimsOf(verified.body.access_token), {
    aal: 'aal2',
    amr: [{ method: 'mfa/phone' }, { method: 'password' }],
  });
  t.match(verified.body.user.factors, [{ id, status: 'verified' }]);
  t.match(
    await verify(id, opened.body.id, code),
    { status: 422, body: { error_code: 'mfa_challenge_expired' } },
    'once',
  );
  t.notOk(JSON.stringify(session.user).includes(code));
});

t.test('of parallel answers to one challenge one wins', async (t) => {
  const { gateways, enrol, challenge, verify } = await open(t);
  const { id } = (await enrol()).body;
  const opened = await challenge(id);
  const code = lastCode(gateways);
  const answers = await Promise.all(Array.from({ length: 8 }, () => verify(id, opened.body.id, code)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const { status } of answers) t.ok([200, 422].includes(status), `${status}`);
});

t.test('each challenge has its own code, and all stay valid', async (t) => {
  const { gateways, enrol, challenge, verify } = await open(t, { MFA_PHONE_MAX_FREQUENCY: '1s' });
  const { id } = (await enrol()).body;
  const first = await challenge(id);
  const firstCode = lastCode(gateways);
  const refused = await challenge(id);
  t.match(refused, {
    status: 429,
    body: {
      error_code: 'over_sms_send_rate_limit',
      msg: /^For security purposes, you can only request this after \d+ seconds\.$/,
    },
  });
  t.match(refused.headers.get('retry-after'), /^\d+$/);
  t.equal(gateways.requests.length, 1);
  await pause(1100);
  const second = await challenge(id);
  t.equal(second.status, 200, JSON.stringify(second.body));
  const secondCode = lastCode(gateways);
  if (firstCode !== secondCode) t.match(await verify(id, second.body.id, firstCode), wrong, 'not the code of another');
  t.equal((await verify(id, first.body.id, firstCode)).status, 200);
});

t.test('a text that does not leave is a 500 and gives the interval back', async (t) => {
  const { gateways, server, enrol, challenge } = await open(t);
  const { id } = (await enrol()).body;
  gateways.mode = 'unavailable';
  const failed = await challenge(id);
  t.match(failed, { status: 500, body: { error_code: 'unexpected_failure', msg: 'error sending message' } });
  const { rows } = await server.database.admin.query('select from mfa_challenges');
  t.same(rows, []);
  gateways.mode = 'good';
  t.equal((await challenge(id)).status, 200, 'at once');
});

t.test('numbers and channels that cannot be', async (t) => {
  const { enrol, challenge, gateways } = await open(t);
  const refusal = { status: 400, body: { error_code: 'validation_failed' } };
  t.match(await enrol({ phone: '' }), { ...refusal, body: { msg: 'Phone number required to enroll Phone factor' } });
  t.match(await enrol({ phone: 'abc' }), { ...refusal, body: { msg: /^Invalid phone number format/ } });
  const { id } = (await enrol()).body;
  t.match(await challenge(id, { channel: 'pigeon' }), { ...refusal, body: { msg: /^Invalid channel/ } });
  t.equal((await challenge(id, { channel: 'whatsapp' })).status, 200);
  t.match(gateways.requests.at(-1)!.fields, { To: 'whatsapp:+15555550100' });
});

t.test('a verified number is not enrolled twice; an unverified one is replaced', async (t) => {
  const { gateways, enrol, challenge, verify, bearer, server } = await open(t);
  const before = (await enrol({ friendly_name: 'a' })).body.id;
  const { id } = (await enrol({ friendly_name: 'b' })).body;
  t.match((await server.call('GET', '/user', { bearer })).body.factors, [{ id }]);
  t.match(await challenge(before), { status: 404, body: { error_code: 'mfa_factor_not_found' } });
  const opened = await challenge(id);
  t.equal((await verify(id, opened.body.id, lastCode(gateways))).status, 200);
  t.match(await enrol({ friendly_name: 'c' }), {
    status: 422,
    body: { error_code: 'mfa_verified_factor_exists' },
  });
});

t.test('off by default, for enrolment and verification', async (t) => {
  const { enrol } = await open(t, { MFA_PHONE_ENROLL_ENABLED: 'false' });
  t.match(await enrol(), {
    status: 422,
    body: { error_code: 'mfa_phone_enroll_not_enabled', msg: 'MFA enroll is disabled for Phone' },
  });
  const other = await open(t, { MFA_PHONE_VERIFY_ENABLED: 'false' });
  const { id } = (await other.enrol()).body;
  t.match(await other.challenge(id), { status: 422, body: { error_code: 'mfa_phone_verify_not_enabled' } });
  t.same(other.gateways.requests, []);
});

t.test('the hook send_sms gets sms_type mfa; its failure is a 500', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const server = await openTestServer(t, { ...ON, ...hookSettingsOf('SEND_SMS', receiver.url) });
  const { enrol, challenge, verify } = await signUp(server);
  const { id } = (await enrol()).body;
  receiver.answer = () => reply(500);
  t.match(await challenge(id), { status: 500, body: { msg: 'error invoking hook' } });
  receiver.answer = () => ({});
  const opened = await challenge(id);
  t.equal(opened.status, 200, JSON.stringify(opened.body));
  const { sms, user } = receiver.calls.at(-1)!.body;
  t.match(sms, { otp: /^\d{6}$/, phone: '15555550100', sms_type: 'mfa' });
  t.match(user.factors, [{ id }]);
  t.equal((await verify(id, opened.body.id, sms.otp)).status, 200);
});

t.test('what was begun before a factor is verified gets no text after it', async (t) => {
  const { gateways, server, session, enrol, challenge } = await open(t);
  const begun = (await enrol({ friendly_name: 'begun' })).body.id;
  const { id, secret } = await enrolTotp(server, session);
  t.equal((await verifyWith(server, session, id, openApp(secret).nextCode())).status, 200);
  t.equal((await challenge(begun)).status, 404, 'the first verification drops what was begun');
  t.same(gateways.requests, []);
});

t.test('fixed codes and limits of other texts do not count', async (t) => {
  const { gateways, enrol, challenge, verify } = await open(t, {
    SMS_TEST_OTP: '15555550100:123456',
    RATE_LIMIT_SMS_SENT: '0',
    SMS_MAX_FREQUENCY: '1h',
    MFA_PHONE_MAX_FREQUENCY: '1s',
  });
  const { id } = (await enrol()).body;
  const opened = await challenge(id);
  t.equal(opened.status, 200, JSON.stringify(opened.body));
  t.equal(gateways.requests.length, 1, 'a real text');
  const code = lastCode(gateways);
  if (code !== '123456') t.match(await verify(id, opened.body.id, '123456'), wrong);
  await pause(1100);
  t.equal((await challenge(id)).status, 200);
  t.equal((await verify(id, opened.body.id, code)).status, 200);
});

t.test('an administrator changes the number of a factor, which stays verified', async (t) => {
  const { gateways, server, session, enrol, challenge, verify } = await open(t, { MFA_PHONE_MAX_FREQUENCY: '1s' });
  const { id } = (await enrol({ friendly_name: 'a' })).body;
  const raised = await verify(id, (await challenge(id)).body.id, lastCode(gateways));
  const bearer = raised.body.access_token;
  const body = { factor_type: 'phone', phone: '+15555550111', friendly_name: 'b' };
  const begun = (await server.call('POST', '/factors', { bearer, body })).body;
  const put = (factorId: string, phone: string) =>
    server.call('PUT', `/admin/users/${session.user.id}/factors/${factorId}`, {
      bearer: adminToken(),
      body: { phone },
    });
  t.match(await put(id, '+1 555 555 0122'), {
    status: 200,
    body: { id, phone: '15555550122', status: 'verified', friendly_name: 'a' },
  });
  t.match(await put(id, 'abc'), { status: 400, body: { error_code: 'validation_failed' } });
  t.match(await put(begun.id, '+15555550122'), { status: 422, body: { error_code: 'mfa_verified_factor_exists' } });
  await pause(1100);
  await server.call('POST', `/factors/${id}/challenge`, { bearer, body: {} });
  t.match(gateways.requests.at(-1)!.fields, { To: '+15555550122' });
});

t.test('the hook mfa_verification_attempt learns of codes that were texted', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ decision: 'continue' }));
  const { gateways, session, enrol, challenge, verify } = await open(
    t,
    hookSettingsOf('MFA_VERIFICATION_ATTEMPT', receiver.url),
  );
  const { id } = (await enrol()).body;
  const opened = await challenge(id);
  t.match(await verify(id, opened.body.id, 'abc'), wrong);
  t.equal((await verify(id, opened.body.id, lastCode(gateways))).status, 200);
  const asked = { user_id: session.user.id, factor_id: id, factor_type: 'phone' };
  t.match(
    receiver.calls.map(({ body }) => body),
    [
      { ...asked, valid: false },
      { ...asked, valid: true },
    ],
  );
});

t.test('AUTH_HOOK_SEND_SMS_BACKGROUND leaves codes of factors in the request', async (t) => {
  const receiver = await openHookReceiver(t, () => reply(500));
  const settings = { ...hookSettingsOf('SEND_SMS', receiver.url), HOOK_SEND_SMS_BACKGROUND: 'true' };
  const server = await openTestServer(t, { ...ON, ...settings });
  const { enrol, challenge } = await signUp(server);
  const { id } = (await enrol()).body;
  t.match(await challenge(id), { status: 500, body: { msg: 'error invoking hook' } }, 'the user learns of the failure');
  const { rows } = await server.database.admin.query('select from outbox');
  t.same(rows, [], 'nothing waits');
  receiver.answer = () => ({});
  t.equal((await challenge(id)).status, 200, 'and may ask again at once');
  t.match(receiver.calls.at(-1)!.body.sms, { sms_type: 'mfa' });
});
