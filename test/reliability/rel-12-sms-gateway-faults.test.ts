import type { ApiError } from '../../src/server/errors.js';
import type { SmsSendError } from '../../src/server/sms/contract.js';
import { createSmsClient } from '../../src/server/sms/index.js';
import { findQuickest } from '../support/quickest.js';
import { keepLog } from '../support/quiet-log.js';
import { type GatewayMode, gatewayNames, startFakeGateways } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';

const PHONE = '15555550100';

const sendTo = (client: ReturnType<typeof createSmsClient>) =>
  client.send('confirmation', PHONE, 'sms', '123456').then(
    () => null,
    (error: unknown) => error as ApiError & { cause: SmsSendError },
  );

const faults: [mode: GatewayMode, isOutcomeUnknown: boolean][] = [
  ['refuseNumber', false],
  ['accountFault', false],
  ['unavailable', false],
  ['tooMany', false],
  ['redirect', false],
  ['badGateway', true],
  ['cut', true],
  ['cutBody', true],
  ['huge', true],
  ['garbage', true],
];

t.test(
  'REL-12: whatever a gateway does, there is one request, and the error says whether the text may have left',
  async (t) => {
    const fake = await startFakeGateways(t);
    for (const gateway of gatewayNames) {
      for (const [mode, isOutcomeUnknown] of faults) {
        const client = createSmsClient({ config: fake.config(gateway), log: keepLog() });
        fake.mode = mode;
        fake.requests.length = 0;
        const error = await sendTo(client);
        const name = `${gateway} ${mode}`;
        t.equal(error?.entry, 'smsSendFailed', name);
        t.equal(error?.status, 422);
        t.equal(error?.cause.isOutcomeUnknown, isOutcomeUnknown, name);
        t.equal(fake.requests.length, 1, `${name}: one request`);
      }
    }
  },
);

t.test('REL-12: a gateway that does not respond is given up after 6 s at most', async (t) => {
  const fake = await startFakeGateways(t);
  fake.mode = 'silent';
  const sendToAll = () =>
    Promise.all(
      gatewayNames.map((gateway) => sendTo(createSmsClient({ config: fake.config(gateway), log: keepLog() }))),
    );
  const { ms, result, tries } = await findQuickest(6500, sendToAll);
  t.ok(ms < 6500, `${Math.round(ms)} ms`);
  for (const error of result) {
    t.equal(error?.cause.isOutcomeUnknown, true);
    t.match(error?.message, /did not answer in time$/);
  }
  t.equal(fake.requests.length, tries * gatewayNames.length);
});

t.test('REL-12: without a connection the text was certainly not sent', async (t) => {
  const fake = await startFakeGateways(t);
  // Nothing listens on port 1.
  const config = fake.config('twilio', { AUTH_SMS_TWILIO_API_URL: 'http://127.0.0.1:1' });
  const error = await sendTo(createSmsClient({ config, log: keepLog() }));
  t.equal(error?.cause.isOutcomeUnknown, false);
  t.notMatch(error?.message, /127\.0\.0\.1/);
});

t.test('REL-12: after 5 failures texts fail at once for 30 s; rejected numbers do not count', async (t) => {
  const fake = await startFakeGateways(t);
  let time = 0;
  const log = keepLog();
  const client = createSmsClient({ config: fake.config('twilio'), log, now: () => time });
  fake.mode = 'refuseNumber';
  for (let i = 0; i < 10; i++) t.match(await sendTo(client), { entry: 'smsSendFailed' });
  t.equal(fake.requests.length, 10);

  fake.mode = 'unavailable';
  for (let i = 0; i < 5; i++) t.match(await sendTo(client), { entry: 'smsSendFailed' });
  fake.mode = 'good';
  const error = await sendTo(client);
  t.equal(fake.requests.length, 15, 'without a request');
  t.match(error, { entry: 'smsSendFailed', retryAfterSeconds: 30, cause: { isOutcomeUnknown: false } });
  t.equal(log.lines.filter((line) => line.includes('keeps failing')).length, 1);

  time = 30_000;
  t.same(await client.send('confirmation', PHONE, 'sms', '123456'), { messageId: 'SM1' });
  t.match(log.lines.at(-1), /works again/);
  t.notMatch(log.lines.join(), /123456|15555550100/);
});
