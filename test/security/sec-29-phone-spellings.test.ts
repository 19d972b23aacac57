import { REFUSED_PHONES } from '../support/addresses.js';
import { asAdmin } from '../support/admin.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const stored = '15555550100';

const oneNumber = [
  '+15555550100',
  '15555550100',
  '+1 555 555 0100',
  '1 5 5 5 5 5 5 0 1 0 0',
  '+1 5555550100 ',
  '\u00a0+15555550100\n',
];

const settings = { EXTERNAL_PHONE_ENABLED: 'true', SMS_AUTOCONFIRM: 'true' };

t.test('SEC-29: every spelling of a number is one account, or 400', async (t) => {
  const { post, database } = await openTestServer(t, settings);
  const [first, ...others] = oneNumber;
  const made = await post('/signup', { phone: first, password });
  t.match(made, { status: 200, body: { user: { phone: stored } } });
  for (const phone of others) {
    t.match((await post('/signup', { phone, password })).body, { error_code: 'user_already_exists' }, phone);
    const signedIn = await post('/token?grant_type=password', { phone, password });
    t.match(signedIn, { status: 200, body: { user: { id: made.body.user.id } } }, phone);
  }
  for (const phone of REFUSED_PHONES) {
    t.equal((await post('/signup', { phone, password })).status, 400, JSON.stringify(phone));
  }
  for (const digits of ['1234567', '123456789012345']) {
    const shortest = await post('/signup', { phone: `+${digits}`, password });
    t.match(shortest, { status: 200, body: { user: { phone: digits } } }, `${digits.length} digits`);
  }
  const { rows } = await database.admin.query('select phone from users order by phone');
  t.same(
    rows.map(({ phone }) => phone),
    ['1234567', '123456789012345', stored],
  );
});

t.test('SEC-29: the same at every other endpoint, and nothing is sent', async (t) => {
  const server = await openTestServer(t, { ...settings, SMS_AUTOCONFIRM: 'false', SMS_TEST_OTP: `${stored}:123456` });
  const { call, post, database } = server;
  const admin = asAdmin(server);
  const { body: person } = await admin('POST', '/admin/users', { phone: stored, password, phone_confirm: true });
  const { body: session } = await post('/token?grant_type=password', { phone: stored, password });
  const bearer = session.access_token;
  const endpoints: Record<string, (phone: string) => ReturnType<typeof call>> = {
    '/otp': (phone) => post('/otp', { phone }),
    '/resend': (phone) => post('/resend', { type: 'sms', phone }),
    '/verify': (phone) => post('/verify', { type: 'sms', phone, token: '123456' }),
    'PUT /user': (phone) => call('PUT', '/user', { bearer, body: { phone } }),
    '/admin/users': (phone) => admin('POST', '/admin/users', { phone }),
    'PUT /admin/users': (phone) => admin('PUT', `/admin/users/${person.id}`, { phone }),
  };
  for (const [endpoint, send] of Object.entries(endpoints)) {
    for (const phone of REFUSED_PHONES)
      t.equal((await send(phone)).status, 400, `${endpoint}: ${JSON.stringify(phone)}`);
  }
  const { rows } = await database.admin.query('select phone, new_phone from users');
  t.same(rows, [{ phone: stored, new_phone: null }]);
  t.equal((await database.admin.query('select from one_time_tokens')).rows.length, 0);
});
