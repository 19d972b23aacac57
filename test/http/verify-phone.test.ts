import { openPhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { gatewayNames } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const otp = '/otp';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

t.test('every gateway: sign up by phone, redeem the code, sign in', async (t) => {
  for (const gateway of gatewayNames) {
    const { post, gateways, nextCode, untilTexts, database } = await openPhoneFlow(t, gateway);
    const phone = freshPhone();
    const signedUp = await post('/signup', { phone: `+${phone}`, password });
    t.equal(signedUp.status, 200, gateway);
    t.match(signedUp.body, { phone, confirmation_sent_at: String });
    await untilTexts(1);
    t.equal(gateways.requests.length, 1, 'one request to the gateway');
    const early = await post('/token?grant_type=password', { phone, password });
    t.match(early.body, { code: 400, error_code: 'phone_not_confirmed' });

    const token = await nextCode(phone);
    const verified = await post('/verify', { type: 'sms', phone: `+${phone}`, token });
    t.equal(verified.status, 200, gateway);
    t.match(verified.body, { access_token: String, user: { phone, phone_confirmed_at: String } });
    t.notOk('type' in verified.body, 'no type for phones');
    t.match((await post('/verify', { type: 'sms', phone, token })).body, { code: 403, error_code: 'otp_expired' });
    t.equal((await post('/token?grant_type=password', { phone, password })).status, 200);
    const stored = await database.admin.query('select code_hash from one_time_tokens');
    t.equal(stored.rows.length, 0, 'no code is left');
  }
});

t.test('SEC-64: a sign-in by code to an unconfirmed number shuts out the creator of the account', async (t) => {
  const { post, nextCode } = await openPhoneFlow(t, 'twilio');
  const phone = freshPhone();
  const planted = await post('/signup', { phone, password });
  await nextCode(phone);
  t.equal((await post('/otp', { phone })).status, 200);
  const redeemed = await post('/verify', { type: 'sms', phone, token: await nextCode(phone) });
  t.match(redeemed, { status: 200, body: { user: { id: planted.body.id } } });
  t.match(await post('/token?grant_type=password', { phone, password }), { status: 400 });
});

t.test('POST /otp by phone', async (t) => {
  const { post, nextCode, database, gateways } = await openPhoneFlow(t, 'twilio');

  await t.test('an unknown number gets an account when the code is redeemed, a known one is signed in', async (t) => {
    const phone = freshPhone();
    const sent = await post(otp, { phone, data: { plan: 'pro' } });
    t.same([sent.status, sent.body], [200, {}]);
    t.equal((await database.admin.query('select 1 from users where phone = $1', [phone])).rows.length, 0);
    const first = await post('/verify', { type: 'sms', phone, token: await nextCode(phone) });
    t.equal(first.status, 200);
    t.match(first.body.user, {
      phone,
      phone_confirmed_at: String,
      user_metadata: { plan: 'pro', phone_verified: true },
    });
    t.match(first.body.user.identities, [{ provider: 'phone', identity_data: { phone } }]);

    await post(otp, { phone, create_user: false });
    const second = await post('/verify', { type: 'sms', phone, token: await nextCode(phone) });
    t.equal(second.body.user.id, first.body.user.id);
  });

  await t.test('channel whatsapp', async (t) => {
    const phone = freshPhone();
    t.equal((await post(otp, { phone, channel: 'whatsapp' })).status, 200);
    t.equal(gateways.requests.at(-1)!.fields['To'], `whatsapp:+${phone}`);
  });

  await t.test('API errors, and nothing is sent', async (t) => {
    const before = gateways.requests.length;
    const cases: [unknown, number, string, string | RegExp][] = [
      [{ phone: 'x' }, 400, 'validation_failed', 'Invalid phone number format (E.164 required)'],
      [{ phone: freshPhone(), channel: 'fax' }, 400, 'validation_failed', /^Invalid channel/],
      [{ phone: freshPhone(), create_user: false }, 422, 'otp_disabled', 'Signups not allowed for otp'],
    ];
    for (const [body, status, error_code, msg] of cases) {
      t.match((await post(otp, body)).body, { code: status, error_code, msg });
    }
    t.equal(gateways.requests.length, before);
  });

  await t.test('an expired code is rejected', async (t) => {
    const phone = freshPhone();
    await post(otp, { phone });
    await database.admin.query(
      `update one_time_tokens set created_at = now() - interval '61 seconds' where recipient = $1`,
      [phone],
    );
    const late = await post('/verify', { type: 'sms', phone, token: await nextCode(phone) });
    t.match(late.body, { code: 403, error_code: 'otp_expired', msg: 'Token has expired or is invalid' });
  });
});

t.test('a gateway that rejects messages', async (t) => {
  const { post, gateways, nextCode, untilTexts, database } = await openPhoneFlow(t, 'twilio', {
    SMS_MAX_FREQUENCY: '60',
  });
  const codesOf = async (phone: string) =>
    (await database.admin.query('select 1 from one_time_tokens where recipient = $1', [phone])).rows.length;

  await t.test(
    'a sign-up is answered; its code and its interval are rolled back, and a resend is allowed',
    async (t) => {
      const phone = freshPhone();
      gateways.mode = 'refuseNumber';
      t.equal((await post('/signup', { phone, password })).status, 200, 'as for a known number');
      await untilTexts(1);
      await until(async () => (await codesOf(phone)) === 0);
      await until(async () => (await database.admin.query('select 1 from rate_counters')).rows.length === 1);

      gateways.mode = 'good';
      gateways.requests.length = 0;
      t.equal((await post('/resend', { type: 'sms', phone })).status, 200, 'no interval was burnt');
      const soon = await post('/resend', { type: 'sms', phone });
      t.match(soon.body, { code: 429, error_code: 'over_sms_send_rate_limit' }, 'a sent one burns it');
      const token = await nextCode(phone);
      t.equal((await post('/verify', { type: 'sms', phone, token })).status, 200);
    },
  );

  await t.test('where every number gets a message the error is returned, and nothing is stored', async (t) => {
    const phone = freshPhone();
    gateways.mode = 'refuseNumber';
    const refused = await post(otp, { phone });
    t.match(refused.body, {
      code: 422,
      error_code: 'sms_send_failed',
      msg: /^Error sending confirmation OTP to provider: /,
    });
    t.equal(await codesOf(phone), 0);
    gateways.mode = 'good';
    t.equal((await post(otp, { phone })).status, 200, 'no interval was burnt');
  });
});

t.test('resend, phone change, test numbers', async (t) => {
  const { call, post, gateways, nextCode, untilTexts } = await openPhoneFlow(t, 'vonage', {
    SMS_TEST_OTP: '15555550123:424242',
  });

  await t.test('/resend sends another code and revokes the first', async (t) => {
    const phone = freshPhone();
    await post('/signup', { phone, password });
    const older = await nextCode(phone);
    t.match((await post('/resend', { type: 'sms', phone })).body, { message_id: UUID });
    const newer = await nextCode(phone);
    if (older !== newer) {
      t.equal((await post('/verify', { type: 'sms', phone, token: older })).status, 403, 'the first code is revoked');
    }
    t.equal((await post('/verify', { type: 'sms', phone, token: newer })).status, 200);
    const count = gateways.requests.length;
    t.match((await post('/resend', { type: 'sms', phone })).body, { message_id: UUID });
    await post(otp, { phone });
    await untilTexts(count + 1);
    gateways.requests.pop();
    t.equal(gateways.requests.length, count, 'a confirmed number gets nothing');
  });

  await t.test('a phone change is confirmed by the code sent to the new number', async (t) => {
    const { body } = await post('/signup', { email: freshEmail(), password });
    const phone = freshPhone();
    const changed = await call('PUT', '/user', { bearer: body.access_token, body: { phone } });
    t.match(changed.body, { phone: '', new_phone: phone, phone_change_sent_at: String });
    await nextCode(phone);
    const again = await post('/resend', { type: 'phone_change', email: body.user.email });
    t.match(again.body, { message_id: UUID });
    const verified = await post('/verify', { type: 'phone_change', phone, token: await nextCode(phone) });
    t.equal(verified.status, 200);
    t.match(verified.body.user, { phone, phone_confirmed_at: String, app_metadata: { providers: ['email', 'phone'] } });
    t.notOk('new_phone' in verified.body.user);
    t.match(verified.body.user.identities, [
      { provider: 'email' },
      { provider: 'phone', identity_data: { phone, phone_verified: true } },
    ]);
  });

  await t.test('a test number gets no message, and its code can be reused', async (t) => {
    const count = gateways.requests.length;
    const phone = '15555550123';
    t.equal((await post('/signup', { phone, password })).status, 200);
    t.same((await post('/resend', { type: 'sms', phone })).body, { message_id: 'test-otp' });
    for (let turn = 0; turn < 2; turn++) {
      t.equal((await post('/verify', { type: 'sms', phone, token: '424242' })).status, 200);
    }
    t.equal(gateways.requests.length, count, 'nothing was sent');
  });
});

t.test('SMS_AUTOCONFIRM off and no gateway: a clear error, and no account', async (t) => {
  const { post, database } = await openTestServer(t, { EXTERNAL_PHONE_ENABLED: 'true' });
  const answer = await post('/signup', { phone: freshPhone(), password });
  t.match(answer.body, { code: 500, error_code: 'unexpected_failure', msg: 'Unable to get SMS provider' });
  t.equal((await database.admin.query('select 1 from users')).rows.length, 0);
});
