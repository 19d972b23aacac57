import t from 'tap';
import { asAdmin } from '../support/admin.js';
import { openTestServer } from '../support/server.js';

const password = 'correct horse battery';
const stored = '15555550100';

const oneNumber = ['+15555550100', '15555550100', '+1 555 555 0100', '1 5 5 5 5 5 5 0 1 0 0', '+1 5555550100 '];

const refused = [
  '+',
  '0015555550100',
  '+05555550100',
  '+(1)5555550100',
  '(555)5550100',
  '+1-555-555-0100',
  '1.5555550100',
  '\uff11\uff15\uff15\uff15\uff15\uff15\uff15\uff10\uff11\uff10\uff10',
  '\uff0b15555550100',
  '\u0661\u0665\u0665\u0665\u0665\u0665\u0665',
  '+1555555010a',
  '123456',
  '1234567890123456',
  '++15555550100',
  ' +15555550100',
  '15555550100\n',
  '1555555\t0100',
  '1555\u00a05550100',
  '1555\u200b5550100',
  '15555550100;ext=1',
  'tel:+15555550100',
  '+1555555,15555550101',
];

const settings = { EXTERNAL_PHONE_ENABLED: 'true', SMS_AUTOCONFIRM: 'true' };

t.test('SEC-29: every spelling of a number is one account, or 400', async (t) => {
  const { call, database } = await openTestServer(t, settings);
  const [first, ...others] = oneNumber;
  const made = await call('POST', '/signup', { body: { phone: first, password } });
  t.match(made, { status: 200, body: { user: { phone: stored } } });
  for (const phone of others) {
    t.match(
      (await call('POST', '/signup', { body: { phone, password } })).body,
      { error_code: 'user_already_exists' },
      `${phone}: sign-up`,
    );
    const signedIn = await call('POST', '/token?grant_type=password', { body: { phone, password } });
    t.match(signedIn, { status: 200, body: { user: { id: made.body.user.id } } }, `${phone}: sign-in`);
  }
  for (const phone of refused) {
    t.equal((await call('POST', '/signup', { body: { phone, password } })).status, 400, JSON.stringify(phone));
  }
  for (const digits of ['1234567', '123456789012345']) {
    const shortest = await call('POST', '/signup', { body: { phone: `+${digits}`, password } });
    t.match(shortest, { status: 200, body: { user: { phone: digits } } }, `${digits.length} digits`);
  }
  const { rows } = await database.admin.query('select phone from users order by phone');
  t.same(
    rows.map(({ phone }) => phone),
    ['1234567', '123456789012345', stored],
  );
});

t.test('SEC-29: the same at every other door, and nothing is sent', async (t) => {
  const server = await openTestServer(t, { ...settings, SMS_AUTOCONFIRM: 'false', SMS_TEST_OTP: `${stored}:123456` });
  const { call, database } = server;
  const admin = asAdmin(server);
  const { body: person } = await admin('POST', '/admin/users', { phone: stored, password, phone_confirm: true });
  const { body: session } = await call('POST', '/token?grant_type=password', { body: { phone: stored, password } });
  const bearer = session.access_token;
  const doors: Record<string, (phone: string) => ReturnType<typeof call>> = {
    '/otp': (phone) => call('POST', '/otp', { body: { phone } }),
    '/resend': (phone) => call('POST', '/resend', { body: { type: 'sms', phone } }),
    '/verify': (phone) => call('POST', '/verify', { body: { type: 'sms', phone, token: '123456' } }),
    'PUT /user': (phone) => call('PUT', '/user', { bearer, body: { phone } }),
    '/admin/users': (phone) => admin('POST', '/admin/users', { phone }),
    'PUT /admin/users': (phone) => admin('PUT', `/admin/users/${person.id}`, { phone }),
  };
  for (const [door, knock] of Object.entries(doors)) {
    for (const phone of refused) t.equal((await knock(phone)).status, 400, `${door}: ${JSON.stringify(phone)}`);
  }
  const { rows } = await database.admin.query('select phone, new_phone from users');
  t.same(rows, [{ phone: stored, new_phone: null }]);
  t.equal((await database.admin.query('select from one_time_tokens')).rows.length, 0);
});
