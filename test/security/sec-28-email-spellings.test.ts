import { REFUSED_EMAILS } from '../support/addresses.js';
import { asAdmin } from '../support/admin.js';
import { openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** Spellings that are addresses, and what is stored. */
const accepted: readonly (readonly [spelling: string, stored: string])[] = [
  ['Ann@Example.COM', 'ann@example.com'],
  ['BOB@LOCALHOST', 'bob@localhost'],
  ["o'hara+tag@sub.example.org", "o'hara+tag@sub.example.org"],
  [' Eve@Example.com\n', 'eve@example.com'],
  ['eve@b\u00fccher.example ', 'eve@xn--bcher-kva.example'],
  ['a.b-c_d~e@1.2.3.4', 'a.b-c_d~e@1.2.3.4'],
  ['{!#$%&*/=?^`|}@example.com', '{!#$%&*/=?^`|}@example.com'],
  [`${'a'.repeat(243)}@example.com`, `${'a'.repeat(243)}@example.com`],
];

const refused = ['', ...REFUSED_EMAILS, `${'a'.repeat(244)}@example.com`];

t.test('SEC-28: forty spellings of an address, at sign-up: one plain address, in lower case, or 400', async (t) => {
  const { post, database } = await openTestServer(t);
  t.ok(accepted.length + refused.length >= 40);
  for (const [spelling, stored] of accepted) {
    const answer = await post('/signup', { email: spelling, password });
    t.match(answer, { status: 200, body: { user: { email: stored } } }, spelling);
    const again = await post('/signup', { email: stored, password });
    t.equal(again.body.error_code, 'user_already_exists', `${stored} is the same account`);
  }
  for (const spelling of refused) {
    const answer = await post('/signup', { email: spelling, phone: '', password });
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

t.test('SEC-28: the same at every other endpoint', async (t) => {
  const server = await openTestServer(t, { MAILER_AUTOCONFIRM: 'false' });
  const { call, post, database } = server;
  const admin = asAdmin(server);
  const kim = { email: 'kim@example.com', password };
  const { body: person } = await admin('POST', '/admin/users', { ...kim, email_confirm: true });
  const { body: session } = await post('/token?grant_type=password', kim);
  const bearer = session.access_token;
  const endpoints: Record<string, (email: string) => ReturnType<typeof call>> = {
    '/otp': (email) => post('/otp', { email }),
    '/magiclink': (email) => post('/magiclink', { email }),
    '/recover': (email) => post('/recover', { email }),
    '/resend': (email) => post('/resend', { type: 'signup', email }),
    '/verify': (email) => post('/verify', { type: 'signup', email, token: '123456' }),
    'PUT /user': (email) => call('PUT', '/user', { bearer, body: { email } }),
    '/invite': (email) => admin('POST', '/invite', { email }),
    '/admin/users': (email) => admin('POST', '/admin/users', { email }),
    'PUT /admin/users': (email) => admin('PUT', `/admin/users/${person.id}`, { email }),
    '/admin/generate_link': (email) => admin('POST', '/admin/generate_link', { type: 'invite', email }),
  };
  for (const [path, send] of Object.entries(endpoints)) {
    for (const email of refused.slice(1)) {
      const { status } = await send(email);
      t.ok(status === 400 || (path === '/verify' && status === 422), `${path}: ${status}, ${JSON.stringify(email)}`);
    }
  }
  const { rows } = await database.admin.query('select email, new_email from users');
  t.same(rows, [{ email: 'kim@example.com', new_email: null }], 'no account was made or changed');
  const sent = await database.admin.query('select from outbox union all select from one_time_tokens');
  t.equal(sent.rows.length, 0, 'no mail, no code');
});

t.test('SEC-28: a Kelvin sign, a dotless i and full-width letters match no account', async (t) => {
  const { post } = await openTestServer(t);
  await post('/signup', { email: 'kim@example.com', password });
  const signIn = (email: string) => post('/token?grant_type=password', { email, password });
  t.equal((await signIn('KIM@EXAMPLE.COM')).status, 200);
  for (const near of ['\u212aim@example.com', 'k\u0131m@example.com', 'k\u0130m@example.com', '\uff4bim@example.com']) {
    t.match(await signIn(near), { status: 400, body: { error_code: 'invalid_credentials' } }, JSON.stringify(near));
  }
});
