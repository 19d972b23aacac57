import t from 'tap';
import type { Refusal } from '../../src/server/errors.js';
import type { SmsSendError } from '../../src/server/sms/contract.js';
import { openSmsRoom } from '../../src/server/sms/index.js';
import { keepLog } from '../support/quiet-log.js';
import { type GatewayMode, gatewayNames, startFakeGateways } from '../support/sms-gateways.js';

const PHONE = '15555550100';

const sendTo = (room: ReturnType<typeof openSmsRoom>) =>
  room.send('confirmation', PHONE, 'sms', '123456').then(
    () => null,
    (error: unknown) => error as Refusal & { cause: SmsSendError },
  );

/** What each fault leaves us knowing. */
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
  'REL-12: whatever a gateway does, it is asked once and the refusal says whether the code may be out',
  async (t) => {
    const fake = await startFakeGateways(t);
    for (const gateway of gatewayNames) {
      for (const [mode, isOutcomeUnknown] of faults) {
        const room = openSmsRoom({ config: fake.config(gateway), log: keepLog() });
        fake.mode = mode;
        fake.requests.length = 0;
        const refusal = await sendTo(room);
        const name = `${gateway} ${mode}`;
        t.equal(refusal?.refusal, 'smsSendFailed', name);
        t.equal(refusal?.status, 422);
        t.equal(refusal?.cause.isOutcomeUnknown, isOutcomeUnknown, name);
        t.equal(fake.requests.length, 1, `${name}: one request`);
      }
    }
  },
);

t.test('REL-12: a gateway that says nothing is given up after 6 s at most', async (t) => {
  const fake = await startFakeGateways(t);
  fake.mode = 'silent';
  const results = await Promise.all(
    gatewayNames.map(async (gateway) => {
      const room = openSmsRoom({ config: fake.config(gateway), log: keepLog() });
      const start = performance.now();
      return { refusal: await sendTo(room), seconds: (performance.now() - start) / 1000 };
    }),
  );
  for (const { refusal, seconds } of results) {
    t.equal(refusal?.cause.isOutcomeUnknown, true);
    t.match(refusal?.message, /did not answer in time$/);
    t.ok(seconds < 6.5, `${seconds.toFixed(1)} s`);
  }
  t.equal(fake.requests.length, gatewayNames.length);
});

t.test('REL-12: nobody there: surely not sent', async (t) => {
  const fake = await startFakeGateways(t);
  // Port 1 of the loopback: nothing listens.
  const config = fake.config('twilio', { AUTH_SMS_TWILIO_API_URL: 'http://127.0.0.1:1' });
  const refusal = await sendTo(openSmsRoom({ config, log: keepLog() }));
  t.equal(refusal?.cause.isOutcomeUnknown, false);
  t.notMatch(refusal?.message, /127\.0\.0\.1/);
});

t.test('REL-12: after 5 failures nothing is tried for 30 s; refused numbers do not count', async (t) => {
  const fake = await startFakeGateways(t);
  let time = 0;
  const log = keepLog();
  const room = openSmsRoom({ config: fake.config('twilio'), log, now: () => time });
  fake.mode = 'refuseNumber';
  for (let i = 0; i < 10; i++) t.match(await sendTo(room), { refusal: 'smsSendFailed' });
  t.equal(fake.requests.length, 10);

  fake.mode = 'unavailable';
  for (let i = 0; i < 5; i++) t.match(await sendTo(room), { refusal: 'smsSendFailed' });
  fake.mode = 'good';
  const refusal = await sendTo(room);
  t.equal(fake.requests.length, 15, 'refused without asking');
  t.match(refusal, { refusal: 'smsSendFailed', retryAfterSeconds: 30, cause: { isOutcomeUnknown: false } });
  t.equal(log.lines.filter((line) => line.includes('keeps failing')).length, 1);

  time = 30_000;
  t.same(await room.send('confirmation', PHONE, 'sms', '123456'), { messageId: 'SM1' });
  t.match(log.lines.at(-1), /works again/);
  t.notMatch(log.lines.join(), /123456|15555550100/);
});
