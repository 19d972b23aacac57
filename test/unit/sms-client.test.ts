import { type SmsMessage, SmsSendError } from '../../src/server/sms/contract.js';
import { createSmsClient } from '../../src/server/sms/index.js';
import { keepLog } from '../support/quiet-log.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';

const PHONE = '15555550100';

t.test('test numbers get no text and keep their code until it expires', async (t) => {
  const fake = await startFakeGateways(t);
  const numbers = { AUTH_SMS_TEST_OTP: '+15555550100:111222,1 555 555 0101:333444' };
  const open = (extra: Record<string, string>) =>
    createSmsClient({ config: fake.config('twilio', { ...numbers, ...extra }), log: keepLog() });

  const client = open({});
  t.equal(client.testCode(PHONE), '111222');
  t.equal(client.testCode('15555550101'), '333444');
  t.equal(client.testCode('15555550102'), null);
  t.equal(client.testCode('constructor'), null);
  t.same(await client.send('confirmation', PHONE, 'sms', '999999'), { messageId: 'test-otp' });
  t.equal(fake.requests.length, 0);

  t.equal(open({ AUTH_SMS_TEST_OTP_VALID_UNTIL: '2999-01-01T00:00:00Z' }).testCode(PHONE), '111222');
  const ended = open({ AUTH_SMS_TEST_OTP_VALID_UNTIL: '2020-01-01T00:00:00Z' });
  t.equal(ended.testCode(PHONE), null);
  t.same(await ended.send('confirmation', PHONE, 'sms', '999999'), { messageId: 'SM1' });
});

t.test('a missing gateway, or one without a setting, is an error of the first text', async (t) => {
  const fake = await startFakeGateways(t);
  const missing = { entry: 'smsProviderMissing', message: 'Unable to get SMS provider', cause: SmsSendError };
  for (const config of [
    { ...fake.config('twilio'), smsProvider: null },
    { ...fake.config('twilio'), smsTwilioAuthToken: '' },
    { ...fake.config('messagebird'), smsMessagebirdOriginator: '' },
    { ...fake.config('textlocal'), smsTextlocalSender: '' },
    { ...fake.config('vonage'), smsVonageApiSecret: '' },
  ]) {
    const client = createSmsClient({ config, log: keepLog() });
    await t.rejects(client.send('confirmation', PHONE, 'sms', '123456'), missing);
  }
  t.equal(fake.requests.length, 0);
});

t.test('SMS_PROVIDER=log passes messages to its sink only', async (t) => {
  const fake = await startFakeGateways(t);
  const config = fake.config('twilio', { AUTH_SMS_PROVIDER: 'log' });
  const seen: SmsMessage[] = [];
  const client = createSmsClient({ config, log: keepLog(), sink: (message) => void seen.push(message) });
  const { messageId } = await client.send('confirmation', PHONE, 'whatsapp', '123456');
  t.match(messageId, /^[0-9a-f-]{36}$/);
  t.match(seen, [{ to: PHONE, channel: 'whatsapp', code: '123456', text: 'Your code is 123456', sentAt: Date }]);

  const log = keepLog();
  const without = createSmsClient({ config, log });
  t.match(log.lines, [/AUTH_SMS_PROVIDER=log/]);
  await t.rejects(without.send('confirmation', PHONE, 'sms', '123456'), {
    entry: 'smsProviderMissing',
    message: /provider/,
  });
  t.notMatch(log.lines.join(), /123456/);
});

t.test('SMS_TEMPLATE contains the code and no other variable', async (t) => {
  const fake = await startFakeGateways(t);
  const open = (template: string) => fake.config('twilio', { AUTH_SMS_TEMPLATE: template });
  for (const template of ['{{.Code}}', '{{ .Code }} is it, {{ .Code }}', 'a $& } {\n{{  .Code}} }}', '{{ .Code }}{']) {
    t.doesNotThrow(() => open(template), template);
  }
  for (const template of [
    'Your code',
    '{{ .Token }}',
    '{{ .Code',
    '{{ .Code }} {{ .Name }}',
    '{{{ .Code }}',
    '{{ .Code }}{{',
  ]) {
    t.throws(() => open(template), /AUTH_SMS_TEMPLATE must hold \{\{ \.Code \}\}, and no other \{\{/, template);
  }
  const client = createSmsClient({ config: open('{{ .Code }}: $& {{.Code}}'), log: keepLog() });
  await client.send('confirmation', PHONE, 'sms', '123456');
  t.equal(fake.requests[0]!.fields['Body'], '123456: $& 123456');
});
