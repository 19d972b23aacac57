import { ApiError } from '../../src/server/errors.js';
import { createSmsClient } from '../../src/server/sms/index.js';
import { keepLog } from '../support/quiet-log.js';
import { type GatewayName, gatewayNames, secrets, startFakeGateways } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';

const PHONE = '15555550100';
const CODE = '738214';

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

t.test('each gateway gets its own format', async (t) => {
  const fake = await startFakeGateways(t);
  const expected: Record<GatewayName, { path: string; authorization: string | undefined; body: string; id: string }> = {
    twilio: {
      path: '/2010-04-01/Accounts/AC0123/Messages.json',
      authorization: basic('AC0123', 'twilio-secret-token'),
      body: 'Body=Your+code+is+738214&Channel=sms&From=MG0123&To=%2B15555550100',
      id: 'SM1',
    },
    messagebird: {
      path: '/messages',
      authorization: 'AccessKey bird-secret-key',
      body: 'body=Your+code+is+738214&datacoding=unicode&originator=Example&recipients=15555550100&type=sms',
      id: 'mb1',
    },
    textlocal: {
      path: '/send',
      authorization: undefined,
      body: 'apikey=textlocal-secret-key&message=Your+code+is+738214&numbers=15555550100&sender=EXAMPL',
      id: 'tl1',
    },
    vonage: {
      path: '/sms/json',
      authorization: undefined,
      body: 'api_key=vonage-key&api_secret=vonage-secret&from=Example&text=Your+code+is+738214&to=15555550100',
      id: 'vo1',
    },
  };
  for (const gateway of gatewayNames) {
    const client = createSmsClient({ config: fake.config(gateway), log: keepLog() });
    const { path, authorization, body, id } = expected[gateway];
    t.same(await client.send('confirmation', PHONE, 'sms', CODE), { messageId: id }, gateway);
    const request = fake.requests.at(-1)!;
    t.equal(request.path, path);
    t.equal(request.authorization, authorization);
    t.equal(request.contentType, 'application/x-www-form-urlencoded');
    t.equal(request.body, body);
  }
  t.equal(fake.requests.length, gatewayNames.length);
});

t.test('vonage gets type=unicode for a text beyond ASCII', async (t) => {
  const fake = await startFakeGateways(t);
  const config = fake.config('vonage', { AUTH_SMS_TEMPLATE: 'Dein Schlüssel: {{.Code}}' });
  await createSmsClient({ config, log: keepLog() }).send('confirmation', PHONE, 'sms', CODE);
  t.match(fake.requests[0]!.fields, { type: 'unicode', text: 'Dein Schlüssel: 738214' });
});

t.test('WhatsApp, which only twilio supports', async (t) => {
  const fake = await startFakeGateways(t);
  const send = async (extra: Record<string, string>) => {
    const config = fake.config('twilio', extra);
    await createSmsClient({ config, log: keepLog() }).send('confirmation', PHONE, 'whatsapp', CODE);
    return fake.requests.at(-1)!.fields;
  };
  t.same(await send({ AUTH_SMS_TWILIO_MESSAGE_SERVICE_SID: '+15555550123' }), {
    To: 'whatsapp:+15555550100',
    Channel: 'whatsapp',
    From: 'whatsapp:+15555550123',
    Body: 'Your code is 738214',
  });
  t.same(await send({ AUTH_SMS_TWILIO_CONTENT_SID: 'HX0123' }), {
    To: 'whatsapp:+15555550100',
    Channel: 'whatsapp',
    From: 'MG0123',
    ContentSid: 'HX0123',
    ContentVariables: '{"1": "738214"}',
  });
  for (const gateway of gatewayNames) {
    const client = createSmsClient({ config: fake.config(gateway), log: keepLog() });
    t.equal(client.supports('sms'), true);
    t.equal(client.supports('whatsapp'), gateway === 'twilio', gateway);
    t.equal(client.supports('pigeon'), false);
  }
});

t.test('the error has the text of the gateway', async (t) => {
  const fake = await startFakeGateways(t);
  const cases: [GatewayName, number, unknown, string][] = [
    [
      'twilio',
      400,
      { code: 21211, message: 'Not valid.', more_info: 'https://twilio.example/21211' },
      'Not valid. More information: https://twilio.example/21211',
    ],
    [
      'twilio',
      201,
      { sid: 'SM9', status: 'undelivered', error_code: 30003, error_message: 'Unreachable' },
      'twilio error: Unreachable 30003 for message SM9',
    ],
    ['messagebird', 422, { errors: [{ code: 9, description: 'no recipients found' }] }, 'no recipients found'],
    ['messagebird', 201, { id: 'x', recipients: { totalSentCount: 0 } }, 'messagebird error: total sent count is 0'],
    [
      'textlocal',
      200,
      { status: 'failure', errors: [{ code: 7, message: 'Insufficient credits' }], messages: [{ id: 'tl9' }] },
      'textlocal error: Insufficient credits (code: 7) message tl9',
    ],
    [
      'textlocal',
      200,
      { status: 'failure', errors: [{ code: 80, message: 'Invalid template' }] },
      'textlocal error: Invalid template (code: 80) template message: Your code is …',
    ],
    [
      'vonage',
      200,
      { messages: [{ status: '15', 'error-text': 'Illegal sender', 'message-id': 'vo9' }] },
      'vonage error: Illegal sender (status: 15) for message vo9',
    ],
    ['vonage', 200, { messages: [] }, 'vonage error: Internal Error'],
  ];
  for (const [gateway, status, body, reason] of cases) {
    fake.answer = { status, body };
    const client = createSmsClient({ config: fake.config(gateway), log: keepLog() });
    await t.rejects(client.send('phone_change', PHONE, 'sms', CODE), {
      entry: 'smsSendFailed',
      status: 422,
      message: `Error sending phone_change OTP to provider: ${reason}`,
      cause: { name: 'SmsSendError', isOutcomeUnknown: false },
    });
  }
});

t.test('the error has neither code nor key, whatever a gateway repeats', async (t) => {
  const fake = await startFakeGateways(t);
  for (const gateway of gatewayNames) {
    const echo = `bad request: ${Object.values(secrets[gateway]).join(' ')} ${CODE}\r\n\u001b[31m`;
    fake.answer = {
      status: gateway === 'textlocal' || gateway === 'vonage' ? 200 : 400,
      body: {
        message: echo,
        errors: [{ code: 80, message: echo, description: echo }],
        messages: [{ status: '5', 'error-text': echo }],
      },
    };
    const log = keepLog();
    const client = createSmsClient({ config: fake.config(gateway), log });
    const error = await client.send('confirmation', PHONE, 'sms', CODE).then(
      () => null,
      (failure: unknown) => failure as ApiError,
    );
    if (!(error instanceof ApiError)) return t.fail(`${gateway}: was sent`);
    const seen = [error.message, (error.cause as Error).message, ...log.lines].join('\n');
    t.match(seen, /bad request: /, gateway);
    for (const secret of [
      CODE,
      ...Object.entries(secrets[gateway]).filter(([k]) => /KEY|TOKEN|SECRET|ACCOUNT/.test(k)),
    ]) {
      t.notOk(seen.includes(typeof secret === 'string' ? secret : secret[1]), gateway);
    }
    t.notMatch(error.message, /[\r\n\u001b]/);
  }
});
