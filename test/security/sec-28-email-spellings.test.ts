import t from 'tap';
import { asAdmin } from '../support/admin.js';
import { openTestServer } from '../support/server.js';

const password = 'correct horse battery';

/** Spellings that are addresses, and what is stored. */
const accepted: readonly (readonly [spelling: string, stored: string])[] = [
  ['Ann@Example.COM', 'ann@example.com'],
  ['BOB@LOCALHOST', 'bob@localhost'],
  ["o'hara+tag@sub.example.org", "o'hara+tag@sub.example.org"],
  ['a.b-c_d~e@1.2.3.4', 'a.b-c_d~e@1.2.3.4'],
  ['{!#$%&*/=?^`|}@example.com', '{!#$%&*/=?^`|}@example.com'],
  [`${'a'.repeat(243)}@example.com`, `${'a'.repeat(243)}@example.com`],
];

const refused: readonly string[] = [
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@@example.com',
  'ann@exa mple.com',
  ' ann@example.com',
  'ann@example.com ',
  'ann@example.com\n',
  'ann@example.com\r\nBcc: eve@evil.com',
  'ann@example.com,eve@evil.com',
  'ann@example.com;eve@evil.com',
  '"a@evil.com"@victim.com',
  'ann(comment)@example.com',
  'ann@(comment)example.com',
  '<ann@example.com>',
  'Ann <ann@example.com>',
  'ann@-example.com',
  'ann@example-.com',
  'ann@example..com',
  'ann@.example.com',
  'ann@example.com.',
  'ann@[127.0.0.1]',
  'ann@ex\u00e4mple.com',
  '\u00e4nn@example.com',
  'ann@example\u3002com',
  'ann\uff20example.com',
  '\uff41nn@example.com',
  '\u212aim@example.com',
  'adm\u0131n@example.com',
  'ann\u200b@example.com',
  'ann\t@example.com',
  'ann\u007f@example.com',
  'ann\u0000@example.com',
  'ann\\@example.com',
  'ann:x@example.com',
  `ann@${'a'.repeat(64)}.com`,
  `${'a'.repeat(244)}@example.com`,
];

t.test('SEC-28: forty spellings of an address, at sign-up: one plain address, in lower case, or 400', async (t) => {
  const { call, database } = await openTestServer(t);
  t.ok(accepted.length + refused.length >= 40);
  for (const [spelling, stored] of accepted) {
    const answer = await call('POST', '/signup', { body: { email: spelling, password } });
    t.match(answer, { status: 200, body: { user: { email: stored } } }, spelling);
    const again = await call('POST', '/signup', { body: { email: stored, password } });
    t.equal(again.body.error_code, 'user_already_exists', `${stored} is the same account`);
  }
  for (const spelling of refused) {
    const answer = await call('POST', '/signup', { body: { email: spelling, phone: '', password } });
    t.ok([400, 422].includes(answer.status), `${answer.status} for ${JSON.stringify(spelling)}`);
    if (spelling !== '') t.equal(answer.status, 400, JSON.stringify(spelling));
    t.notOk(answer.body.access_token);
  }
  const { rows } = await database.admin.query('select email from users order by email');
  t.same(
    rows.map(({ email }) => email),
    accepted.map(([, stored]) => stored).sort(),
  );
});

t.test('SEC-28: the same at every other door', async (t) => {
  const server = await openTestServer(t, { MAILER_AUTOCONFIRM: 'false' });
  const { call, database } = server;
  const admin = asAdmin(server);
  const { body: person } = await admin('POST', '/admin/users', {
    email: 'kim@example.com',
    password,
    email_confirm: true,
  });
  const { body: session } = await call('POST', '/token?grant_type=password', {
    body: { email: 'kim@example.com', password },
  });
  const bearer = session.access_token;
  const doors: Record<string, (email: string) => ReturnType<typeof call>> = {
    '/otp': (email) => call('POST', '/otp', { body: { email } }),
    '/magiclink': (email) => call('POST', '/magiclink', { body: { email } }),
    '/recover': (email) => call('POST', '/recover', { body: { email } }),
    '/resend': (email) => call('POST', '/resend', { body: { type: 'signup', email } }),
    '/verify': (email) => call('POST', '/verify', { body: { type: 'signup', email, token: '123456' } }),
    'PUT /user': (email) => call('PUT', '/user', { bearer, body: { email } }),
    '/invite': (email) => admin('POST', '/invite', { email }),
    '/admin/users': (email) => admin('POST', '/admin/users', { email }),
    'PUT /admin/users': (email) => admin('PUT', `/admin/users/${person.id}`, { email }),
    '/admin/generate_link': (email) => admin('POST', '/admin/generate_link', { type: 'invite', email }),
  };
  for (const [door, knock] of Object.entries(doors)) {
    for (const email of refused.filter((spelling) => spelling !== '')) {
      const { status } = await knock(email);
      t.ok(status === 400 || (door === '/verify' && status === 422), `${door}: ${status}, ${JSON.stringify(email)}`);
    }
  }
  const { rows } = await database.admin.query('select email, new_email from users');
  t.same(rows, [{ email: 'kim@example.com', new_email: null }], 'no account was made or changed');
  const sent = await database.admin.query('select from outbox union all select from one_time_tokens');
  t.equal(sent.rows.length, 0, 'no mail, no code');
});

t.test('SEC-28: a Kelvin sign, a dotless i and full-width letters sign in to nobody', async (t) => {
  const { call } = await openTestServer(t);
  await call('POST', '/signup', { body: { email: 'kim@example.com', password } });
  const signIn = (email: string) => call('POST', '/token?grant_type=password', { body: { email, password } });
  t.equal((await signIn('KIM@EXAMPLE.COM')).status, 200);
  for (const email of [
    '\u212aim@example.com',
    'k\u0131m@example.com',
    'k\u0130m@example.com',
    '\uff4bim@example.com',
  ]) {
    t.match(await signIn(email), { status: 400, body: { error_code: 'invalid_credentials' } }, JSON.stringify(email));
  }
});
