import t from 'tap';
import { openPhoneFlow } from '../support/phone-flows.js';
import { freshEmail, freshPhone, openTestServer } from '../support/server.js';
import { gatewayNames } from '../support/sms-gateways.js';
import { until } from '../support/until.js';

const password = 'correct horse battery';
const otp = '/otp';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

t.test('every gateway: sign up by phone, redeem the code, sign in', async (t) => {
  for (const gateway of gatewayNames) {
    const { call, gateways, nextCode, untilTexts, database } = await openPhoneFlow(t, gateway);
    const phone = freshPhone();
    const signedUp = await call('POST', '/signup', { body: { phone: `+${phone}`, password } });
    t.equal(signedUp.status, 200, gateway);
    t.match(signedUp.body, { phone, confirmation_sent_at: String });
    await untilTexts(1);
    t.equal(gateways.requests.length, 1, 'one request to the gateway');
    const early = await call('POST', '/token?grant_type=password', { body: { phone, password } });
    t.match(early.body, { code: 400, error_code: 'phone_not_confirmed' });

    const token = await nextCode(phone);
    const verified = await call('POST', '/verify', { body: { type: 'sms', phone: `+${phone}`, token } });
    t.equal(verified.status, 200, gateway);
    t.match(verified.body, { access_token: String, user: { phone, phone_confirmed_at: String } });
    t.notOk('type' in verified.body, 'decisions.md 7: no type for phones');
    t.match((await call('POST', '/verify', { body: { type: 'sms', phone, token } })).body, {
      code: 403,
      error_code: 'otp_expired',
    });
    t.equal((await call('POST', '/token?grant_type=password', { body: { phone, password } })).status, 200);
    const stored = await database.admin.query('select code_hash from one_time_tokens');
    t.equal(stored.rows.length, 0, 'nothing is left');
  }
});

t.test('SEC-64: who signs in by a code to an unproven number shuts out whoever made the account', async (t) => {
  const { call, nextCode } = await openPhoneFlow(t, 'twilio');
  const phone = freshPhone();
  const planted = await call('POST', '/signup', { body: { phone, password } });
  await nextCode(phone);
  t.equal((await call('POST', '/otp', { body: { phone } })).status, 200);
  const redeemed = await call('POST', '/verify', { body: { type: 'sms', phone, token: await nextCode(phone) } });
  t.match(redeemed, { status: 200, body: { user: { id: planted.body.id } } });
  t.match(await call('POST', '/token?grant_type=password', { body: { phone, password } }), { status: 400 });
});

t.test('POST /otp by phone', async (t) => {
  const { call, nextCode, database, gateways } = await openPhoneFlow(t, 'twilio');

  await t.test('an unknown number gets its account when the code comes back, a known one is signed in', async (t) => {
    const phone = freshPhone();
    const sent = await call('POST', otp, { body: { phone, data: { plan: 'pro' } } });
    t.same([sent.status, sent.body], [200, {}]);
    t.equal((await database.admin.query('select 1 from users where phone = $1', [phone])).rows.length, 0);
    const first = await call('POST', '/verify', { body: { type: 'sms', phone, token: await nextCode(phone) } });
    t.equal(first.status, 200);
    t.match(first.body.user, {
      phone,
      phone_confirmed_at: String,
      user_metadata: { plan: 'pro', phone_verified: true },
    });
    t.match(first.body.user.identities, [{ provider: 'phone', identity_data: { phone } }]);

    await call('POST', otp, { body: { phone, create_user: false } });
    const second = await call('POST', '/verify', { body: { type: 'sms', phone, token: await nextCode(phone) } });
    t.equal(second.body.user.id, first.body.user.id);
  });

  await t.test('whatsapp goes by whatsapp', async (t) => {
    const phone = freshPhone();
    t.equal((await call('POST', otp, { body: { phone, channel: 'whatsapp' } })).status, 200);
    t.equal(gateways.requests.at(-1)!.fields['To'], `whatsapp:+${phone}`);
  });

  await t.test('refusals, and nothing is sent', async (t) => {
    const before = gateways.requests.length;
    const cases: [unknown, number, string, string | RegExp][] = [
      [{ phone: 'x' }, 400, 'validation_failed', 'Invalid phone number format (E.164 required)'],
      [{ phone: freshPhone(), channel: 'fax' }, 400, 'validation_failed', /^Invalid channel/],
      [{ phone: freshPhone(), create_user: false }, 422, 'otp_disabled', 'Signups not allowed for otp'],
    ];
    for (const [body, status, error_code, msg] of cases) {
      t.match((await call('POST', otp, { body })).body, { code: status, error_code, msg });
    }
    t.equal(gateways.requests.length, before);
  });

  await t.test('an expired code is refused', async (t) => {
    const phone = freshPhone();
    await call('POST', otp, { body: { phone } });
    await database.admin.query(
      `update one_time_tokens set created_at = now() - interval '61 seconds' where recipient = $1`,
      [phone],
    );
    const late = await call('POST', '/verify', { body: { type: 'sms', phone, token: await nextCode(phone) } });
    t.match(late.body, { code: 403, error_code: 'otp_expired', msg: 'Token has expired or is invalid' });
  });
});

t.test('a gateway that refuses', async (t) => {
  const { call, gateways, nextCode, untilTexts, database } = await openPhoneFlow(t, 'twilio', {
    SMS_MAX_FREQUENCY: '60',
  });
  const codesOf = async (phone: string) =>
    (await database.admin.query('select 1 from one_time_tokens where recipient = $1', [phone])).rows.length;

  await t.test(
    'a sign-up has been answered; its code and its interval are taken back, and it may ask again',
    async (t) => {
      const phone = freshPhone();
      gateways.mode = 'refuseNumber';
      t.equal((await call('POST', '/signup', { body: { phone, password } })).status, 200, 'as for a known number');
      await untilTexts(1);
      await until(async () => (await codesOf(phone)) === 0);
      await until(async () => (await database.admin.query('select 1 from rate_counters')).rows.length === 1);

      gateways.mode = 'good';
      gateways.requests.length = 0;
      t.equal((await call('POST', '/resend', { body: { type: 'sms', phone } })).status, 200, 'no interval was burnt');
      const soon = await call('POST', '/resend', { body: { type: 'sms', phone } });
      t.match(soon.body, { code: 429, error_code: 'over_sms_send_rate_limit' }, 'a sent one burns it');
      const token = await nextCode(phone);
      t.equal((await call('POST', '/verify', { body: { type: 'sms', phone, token } })).status, 200);
    },
  );

  await t.test('where everyone gets a text the error names it, and nothing is kept', async (t) => {
    const phone = freshPhone();
    gateways.mode = 'refuseNumber';
    const refused = await call('POST', otp, { body: { phone } });
    t.match(refused.body, {
      code: 422,
      error_code: 'sms_send_failed',
      msg: /^Error sending confirmation OTP to provider: /,
    });
    t.equal(await codesOf(phone), 0);
    gateways.mode = 'good';
    t.equal((await call('POST', otp, { body: { phone } })).status, 200, 'no interval was burnt');
  });
});

t.test('resend, change of number, test numbers', async (t) => {
  const { call, gateways, nextCode, untilTexts } = await openPhoneFlow(t, 'vonage', {
    SMS_TEST_OTP: '15555550123:424242',
  });

  await t.test('/resend sends another code, and the older is dead', async (t) => {
    const phone = freshPhone();
    await call('POST', '/signup', { body: { phone, password } });
    const older = await nextCode(phone);
    t.match((await call('POST', '/resend', { body: { type: 'sms', phone } })).body, { message_id: UUID });
    const newer = await nextCode(phone);
    if (older !== newer) {
      t.equal(
        (await call('POST', '/verify', { body: { type: 'sms', phone, token: older } })).status,
        403,
        'the older is dead',
      );
    }
    t.equal((await call('POST', '/verify', { body: { type: 'sms', phone, token: newer } })).status, 200);
    const count = gateways.requests.length;
    t.match((await call('POST', '/resend', { body: { type: 'sms', phone } })).body, { message_id: UUID });
    await call('POST', otp, { body: { phone } });
    await untilTexts(count + 1);
    gateways.requests.pop();
    t.equal(gateways.requests.length, count, 'a confirmed number gets nothing');
  });

  await t.test('a change of number waits for the code sent to the new one', async (t) => {
    const { body } = await call('POST', '/signup', { body: { email: freshEmail(), password } });
    const phone = freshPhone();
    const changed = await call('PUT', '/user', { bearer: body.access_token, body: { phone } });
    t.match(changed.body, { phone: '', new_phone: phone, phone_change_sent_at: String });
    await nextCode(phone);
    const again = await call('POST', '/resend', { body: { type: 'phone_change', email: body.user.email } });
    t.match(again.body, { message_id: UUID });
    const verified = await call('POST', '/verify', {
      body: { type: 'phone_change', phone, token: await nextCode(phone) },
    });
    t.equal(verified.status, 200);
    t.match(verified.body.user, { phone, phone_confirmed_at: String, app_metadata: { providers: ['email', 'phone'] } });
    t.notOk('new_phone' in verified.body.user);
    t.match(verified.body.user.identities, [
      { provider: 'email' },
      { provider: 'phone', identity_data: { phone, phone_verified: true } },
    ]);
  });

  await t.test('a test number gets nothing, and its code is good again and again', async (t) => {
    const count = gateways.requests.length;
    const phone = '15555550123';
    t.equal((await call('POST', '/signup', { body: { phone, password } })).status, 200);
    t.same((await call('POST', '/resend', { body: { type: 'sms', phone } })).body, { message_id: 'test-otp' });
    for (let turn = 0; turn < 2; turn++) {
      t.equal((await call('POST', '/verify', { body: { type: 'sms', phone, token: '424242' } })).status, 200);
    }
    t.equal(gateways.requests.length, count, 'nothing was sent');
  });
});

t.test('SMS_AUTOCONFIRM off and no gateway: a clear error, and no account', async (t) => {
  const { call, database } = await openTestServer(t, { EXTERNAL_PHONE_ENABLED: 'true' });
  const answer = await call('POST', '/signup', { body: { phone: freshPhone(), password } });
  t.match(answer.body, { code: 500, error_code: 'unexpected_failure', msg: 'Unable to get SMS provider' });
  t.equal((await database.admin.query('select 1 from users')).rows.length, 0);
});
