/** HOOK_SEND_SMS_BACKGROUND: texts wait in the outbox for the hook send_sms. */

import { type HookReceiver, hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { outboxRows } from '../support/mailer.js';
import { findQuickest } from '../support/quickest.js';
import { freshEmail, freshPhone, openTestServer, password, type TestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

interface Flow extends TestServer {
  readonly receiver: HookReceiver;
  /** Calls that the hook has answered with success. */
  delivered(): HookReceiver['calls'];
}

/** A server whose hook is down until the test says otherwise. */
async function openFlow(t: Test, settings: Record<string, string> = {}): Promise<Flow & { up(): Promise<unknown> }> {
  let isUp = false;
  const done: HookReceiver['calls'] = [];
  const receiver = await openHookReceiver(t, (call) => {
    if (!isUp) return reply(500);
    done.push(call);
    return {};
  });
  const server = await openTestServer(t, {
    ...hookSettingsOf('SEND_SMS', receiver.url),
    HOOK_SEND_SMS_BACKGROUND: 'true',
    MAILER_AUTOCONFIRM: 'false',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_OTP_EXP: '300',
    SMS_MAX_FREQUENCY: '0',
    RATE_LIMIT_SMS_SENT: '1000',
    SMS_TEST_OTP: '15550001111:123456',
    ...settings,
  });
  return {
    ...server,
    receiver,
    delivered: () => done,
    async up() {
      isUp = true;
      // The next attempt comes after seconds.
      await server.database.admin.query('update outbox set next_attempt_at = now()');
    },
  };
}

const isEmpty = async ({ database }: TestServer) => (await outboxRows(database)).length === 0;
const hasFailed = async ({ database }: TestServer) =>
  (await outboxRows(database)).some((row) => row['attempts'] !== 0 && row['claimed_until'] === null);

t.test('a hook that is down, then up: one delivery with the code of the request, and one webhook-id', async (t) => {
  const flow = await openFlow(t);
  const phone = freshPhone();
  t.match(await flow.post('/otp', { phone }), { status: 200, body: {} });
  await until(() => hasFailed(flow));
  t.ok(flow.receiver.calls.length > 0);
  const [row] = await outboxRows(flow.database);
  t.match(row, { kind: 'text:confirmation', is_text: true, user_id: null });
  const { otp } = flow.receiver.calls[0]!.body.sms;
  t.notOk(JSON.stringify(row).includes(phone), 'no number in the row');
  t.notOk(JSON.stringify(row).includes(otp), 'no code in the row');
  await flow.up();
  await until(() => isEmpty(flow));
  t.equal(flow.delivered().length, 1);
  t.equal(new Set(flow.receiver.calls.map(({ headers }) => headers['webhook-id'])).size, 1);
  t.equal(flow.receiver.calls[0]!.headers['webhook-id'], row!['id']);
  const { sms, user, metadata } = flow.delivered()[0]!.body;
  t.same(sms, { otp, phone });
  t.match(user, { phone });
  t.match(metadata, { name: 'send-sms', ip_address: '127.0.0.1' });
  t.equal((await flow.post('/verify', { type: 'sms', phone, token: otp })).status, 200);
});

t.test('each request that sends a text', async (t) => {
  const flow = await openFlow(t);
  await flow.up();
  const next = async () => {
    await until(() => isEmpty(flow));
    return flow.delivered().at(-1)!.body;
  };
  const phone = freshPhone();
  const signUp = await flow.post('/signup', { phone, password, data: { plan: 'gold' } });
  t.equal(signUp.status, 200);
  t.match(await next(), { user: { id: signUp.body.id, phone, user_metadata: { plan: 'gold' } }, sms: { phone } });

  const resent = await flow.post('/resend', { type: 'sms', phone });
  t.equal(resent.status, 200);
  const { sms } = await next();
  t.equal(flow.delivered().length, 2);
  t.equal(flow.delivered()[1]!.headers['webhook-id'], resent.body.message_id, 'the id of the answer');
  const verified = await flow.post('/verify', { type: 'sms', phone, token: sms.otp });
  t.equal(verified.status, 200);
  const bearer = verified.body.access_token;

  const nonce = await flow.call('GET', '/reauthenticate', { bearer });
  await until(() => flow.delivered().length === 3);
  t.equal(nonce.body.message_id, flow.delivered()[2]!.headers['webhook-id']);

  const other = freshPhone();
  t.equal((await flow.call('PUT', '/user', { bearer, body: { phone: other } })).status, 200);
  await until(() => flow.delivered().length === 4);
  const change = (await next()).sms;
  t.equal(change.phone, other);
  t.equal((await flow.post('/verify', { type: 'phone_change', phone: other, token: change.otp })).status, 200);

  t.equal((await flow.post('/otp', { phone: '15550001111' })).status, 200);
  t.equal((await flow.post('/resend', { type: 'sms', phone: freshPhone() })).status, 200);
  t.equal((await flow.post('/signup', { phone: other, password })).status, 200);
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.equal(flow.delivered().length, 4, 'none for a test number, an unknown number and a confirmed account');
});

t.test('a newer code replaces one that has not left', async (t) => {
  const flow = await openFlow(t);
  const phone = freshPhone();
  await flow.post('/otp', { phone });
  await until(() => hasFailed(flow));
  await flow.post('/otp', { phone });
  t.equal((await outboxRows(flow.database)).length, 1);
  await flow.up();
  await until(() => isEmpty(flow));
  t.equal(flow.delivered().length, 1);
  const { otp } = flow.delivered()[0]!.body.sms;
  t.equal((await flow.post('/verify', { type: 'sms', phone, token: otp })).status, 200);
});

t.test('a code that has expired does not leave', async (t) => {
  const flow = await openFlow(t, { SMS_OTP_EXP: '4' });
  await flow.post('/otp', { phone: freshPhone() });
  await until(() => flow.receiver.calls.length > 0);
  await until(() => isEmpty(flow));
  await flow.up();
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.equal(flow.delivered().length, 0);
});

t.test('texts expire by themselves, whatever mails and notices may', async (t) => {
  const flow = await openFlow(t, { SMS_OTP_EXP: '60', MAILER_OTP_EXP: '86400' });
  await flow.post('/otp', { phone: freshPhone() });
  await until(() => hasFailed(flow));
  await flow.database.admin.query(
    "update outbox set created_at = now() - interval '61 seconds', next_attempt_at = now()",
  );
  await flow.up();
  await flow.post('/otp', { phone: freshPhone() });
  await until(() => flow.delivered().length === 1);
  await until(() => isEmpty(flow));
  t.equal(flow.delivered().length, 1, 'only the newer one');
});

t.test('a failure gives the interval back, and a refusal is final', async (t) => {
  const flow = await openFlow(t, { SMS_MAX_FREQUENCY: '300' });
  const phone = freshPhone();
  flow.receiver.answer = () => ({ error: { http_code: 422, message: 'no coverage' } });
  t.equal((await flow.post('/otp', { phone })).status, 200, 'the answer shows no failure');
  await until(async () => flow.receiver.calls.length === 1 && (await isEmpty(flow)));
  await until(async () => (await flow.post('/otp', { phone })).status === 200);
  t.equal((await flow.post('/otp', { phone: freshPhone() })).status, 200);
  const counted = freshPhone();
  flow.receiver.answer = () => ({});
  t.equal((await flow.post('/otp', { phone: counted })).status, 200);
  await until(() => isEmpty(flow));
  t.equal((await flow.post('/otp', { phone: counted })).status, 429, 'a text that left uses it up');
});

t.test('a hook that does not answer holds up no request', async (t) => {
  const flow = await openFlow(t, { HOOK_SEND_SMS_TIMEOUT: '2s' });
  flow.receiver.answer = () => new Promise(() => undefined);
  const { ms, result } = await findQuickest(2000, () => flow.post('/otp', { phone: freshPhone() }));
  t.equal(result.status, 200);
  t.ok(ms < 2000, 'less than the hook may take');
});

t.test('with it off', async (t) => {
  await t.test('the failure of the hook is the answer, and nothing waits', async (t) => {
    const flow = await openFlow(t, { HOOK_SEND_SMS_BACKGROUND: 'false' });
    const phone = freshPhone();
    t.match(await flow.post('/otp', { phone }), { status: 500, body: { error_code: 'unexpected_failure' } });
    flow.receiver.answer = () => ({ error: { http_code: 429, message: 'later' } });
    t.match(await flow.post('/signup', { phone, password }), { status: 429, body: { msg: 'later' } });
    t.same(await outboxRows(flow.database), []);
    t.equal((await flow.database.admin.query('select 1 from one_time_tokens')).rowCount, 0);
  });

  await t.test('FAIL_OPEN leaves a text that failed to the outbox; a refusal still counts', async (t) => {
    const flow = await openFlow(t, { HOOK_SEND_SMS_BACKGROUND: 'false', HOOK_SEND_SMS_FAIL_OPEN: 'true' });
    const phone = freshPhone();
    t.equal((await flow.post('/otp', { phone })).status, 200);
    t.equal((await outboxRows(flow.database)).length, 1);
    await flow.up();
    await until(() => isEmpty(flow));
    const { otp } = flow.delivered()[0]!.body.sms;
    t.equal((await flow.post('/verify', { type: 'sms', phone, token: otp })).status, 200);
    flow.receiver.answer = () => ({ error: { http_code: 403, message: 'no' } });
    t.equal((await flow.post('/otp', { phone: freshPhone() })).status, 403);
    t.ok(await isEmpty(flow));
  });
});

t.test('the outbox of texts leaves mails alone, and the other way round', async (t) => {
  const flow = await openFlow(t);
  await flow.database.admin.query(
    "insert into outbox (id, kind, recipient_hash, sealed) values (gen_random_uuid(), 'recovery', 'x', 'y')",
  );
  await flow.up();
  await flow.post('/otp', { phone: freshPhone() });
  await until(() => flow.delivered().length === 1);
  await until(async () => (await outboxRows(flow.database)).length === 1);
  t.match(
    await outboxRows(flow.database),
    [{ kind: 'recovery', attempts: 0 }],
    'without a mail server nobody takes it',
  );
  t.equal((await flow.post('/recover', { email: freshEmail() })).status, 200);
});
