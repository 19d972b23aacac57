/** Texts of the outbox under kill -9. */

import { createTestDatabase } from '../support/database.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { outboxRows } from '../support/mailer.js';
import { spawnServer } from '../support/process.js';
import { call, freshPhone, openTestServer, password } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('two servers that are killed; the same of other work: rel-14-kill');

t.test('killed while the hook is called: another process calls again with the same webhook-id and code', async (t) => {
  let isHanging = true;
  const receiver = await openHookReceiver(t, () => (isHanging ? new Promise(() => undefined) : {}));
  const database = await createTestDatabase(t);
  const settings = {
    ...hookSettingsOf('SEND_SMS', receiver.url),
    HOOK_SEND_SMS_BACKGROUND: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_OTP_EXP: '300',
  };
  const server = await spawnServer(t, database.url, settings);
  const phone = freshPhone();
  const askFor = async (url: string, phone: string) =>
    t.equal((await call(url, 'POST', '/otp', { body: { phone } })).status, 200);
  const callsFor = () => receiver.calls.filter(({ body }) => body.user.phone === phone);
  await askFor(server.url, phone);
  await until(() => callsFor().length === 1);
  await server.stop('SIGKILL');
  isHanging = false;
  const next = await openTestServer(t, settings, () => database.url);
  t.equal(callsFor().length, 1, 'the claim of the dead process still holds');
  await database.admin.query('update outbox set claimed_until = now()');
  // A text for another number has all sent that is due, which a poll would do ten seconds later.
  await askFor(next.url, freshPhone());
  await until(async () => (await outboxRows(database)).length === 0);
  t.equal(callsFor().length, 2);
  const [first, second] = callsFor();
  t.equal(second!.headers['webhook-id'], first!.headers['webhook-id']);
  t.same(second!.body.sms, first!.body.sms);
  const verified = await call(next.url, 'POST', '/verify', {
    body: { type: 'sms', phone, token: second!.body.sms.otp },
  });
  t.equal(verified.status, 200);
});

t.test('killed while the gateway is called: the notice may have left, and is not sent again', async (t) => {
  const gateways = await startFakeGateways(t);
  const database = await createTestDatabase(t);
  const settings = {
    ...gateways.settings('twilio'),
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    SMS_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true',
  };
  const server = await spawnServer(t, database.url, settings);
  gateways.mode = 'silent';
  const signUp = await call(server.url, 'POST', '/signup', { body: { phone: freshPhone(), password } });
  const bearer = signUp.body.access_token;
  const change = (url: string, text: string) => call(url, 'PUT', '/user', { bearer, body: { password: text } });
  t.equal((await change(server.url, 'another battery staple')).status, 200);
  await until(() => gateways.requests.length === 1);
  await server.stop('SIGKILL');
  gateways.mode = 'good';
  await database.admin.query('update outbox set claimed_until = now()');
  const next = await spawnServer(t, database.url, settings);
  await until(async () => (await outboxRows(database)).length === 0);
  t.equal(gateways.requests.length, 1);
  await until(() => next.lines.some((line) => line.includes('Whether a text arrived is unknown')));
  t.equal((await change(next.url, 'a third battery staple')).status, 200);
  await until(() => gateways.requests.length === 2);
});
