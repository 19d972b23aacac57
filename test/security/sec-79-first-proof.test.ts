import { asAdmin } from '../support/admin.js';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const theirs = "the attacker's password";
const owners = "the owner's password";
const operators = "the operator's password";
let subjects = 7000;

const signUp = ({ post }: MailFlow, email: string, password: string, data: object = {}) =>
  post('/signup', { email, password, data });
const passwordGrant = ({ post }: MailFlow, email: string, password: string) =>
  post('/token?grant_type=password', { email, password });
const redeem = ({ post }: MailFlow, type: string, email: string, token: string, password?: string) =>
  post('/verify', { type, email, token, ...(password ? { password } : {}) });
const refused = { status: 400, body: { error_code: 'invalid_credentials' } };

const userOf = async ({ database }: MailFlow, email: string) =>
  (await database.admin.query('select * from users where email = $1', [email])).rows[0];

/** Ways for an administrator to invite, each with the code that accepts. */
const invitations: [string, (flow: MailFlow, email: string) => Promise<string>][] = [
  [
    'POST /invite',
    async (flow, email) => {
      t.equal((await asAdmin(flow)('POST', '/invite', { email })).status, 200);
      return (await flow.nextMail(email)).code;
    },
  ],
  [
    'POST /admin/generate_link',
    async (flow, email) =>
      (await asAdmin(flow)('POST', '/admin/generate_link', { type: 'invite', email })).body.email_otp,
  ],
];

t.test('SEC-79: an invitation does not keep what an attacker has set', async (t) => {
  const flow = await openMailFlow(t);
  for (const [name, invite] of invitations) {
    for (const password of [undefined, owners]) {
      const email = freshEmail();
      await signUp(flow, email, theirs, { role: 'boss' });
      await flow.nextMail(email);
      const planted = await userOf(flow, email);
      const code = await invite(flow, email);
      const accepted = await redeem(flow, 'invite', email, code, password);
      t.equal(accepted.status, 200, name);
      t.equal(accepted.body.user.id, planted.id, `${name}: the same account`);
      t.notOk('role' in accepted.body.user.user_metadata, `${name}: without the metadata`);
      t.match(await passwordGrant(flow, email, theirs), refused, `${name}: the attacker is not signed in`);
      if (password === undefined) continue;
      t.equal((await passwordGrant(flow, email, owners)).status, 200, `${name}: the owner's password is stored`);
    }
  }
});

t.test('SEC-79: an invitation followed in a browser does not keep it either', async (t) => {
  const flow = await openMailFlow(t);
  const email = freshEmail();
  await signUp(flow, email, theirs);
  await flow.nextMail(email);
  await asAdmin(flow)('POST', '/invite', { email });
  const landing = await flow.follow((await flow.nextMail(email)).link!);
  t.ok(landing.fragment.get('access_token'));
  t.match(await passwordGrant(flow, email, theirs), refused);
});

t.test(
  'SEC-79: a password in the acceptance of an invitation is stored, also on an account that has one',
  async (t) => {
    const flow = await openMailFlow(t);
    const email = freshEmail();
    await asAdmin(flow)('POST', '/admin/users', { email, password: operators });
    await asAdmin(flow)('POST', '/invite', { email });
    const { code } = await flow.nextMail(email);
    t.match(await redeem(flow, 'invite', email, code, 'abc'), { status: 422, body: { error_code: 'weak_password' } });
    t.equal((await redeem(flow, 'invite', email, code, owners)).status, 200, 'a rejected one uses nothing up');
    t.equal((await passwordGrant(flow, email, owners)).status, 200);
    t.match(await passwordGrant(flow, email, operators), refused);
  },
);

t.test('SEC-79: two sign-ups with different passwords: the confirmation keeps neither', async (t) => {
  const flow = await openMailFlow(t);
  for (const [first, second] of [
    [theirs, owners],
    [owners, theirs],
  ] as const) {
    const email = freshEmail();
    const { body: planted } = await signUp(flow, email, first, { planted: true });
    await flow.nextMail(email);
    t.equal((await signUp(flow, email, second)).body.id, planted.id);
    const confirmed = await flow.follow((await flow.nextMail(email)).link!);
    t.ok(confirmed.fragment.get('access_token'), 'the owner is signed in');
    t.match(await passwordGrant(flow, email, first), refused);
    t.match(await passwordGrant(flow, email, second), refused);
    t.same((await userOf(flow, email)).user_metadata, {
      sub: planted.id,
      email,
      email_verified: true,
      phone_verified: false,
    });
    const bearer = confirmed.fragment.get('access_token')!;
    const put = await flow.call('PUT', '/user', { bearer, body: { password: "the owner's new one" } });
    t.equal(put.status, 200, 'and sets a password');
    t.equal((await passwordGrant(flow, email, "the owner's new one")).status, 200);
  }
});

t.test('SEC-79: a code that confirms such an account may come with a password', async (t) => {
  const flow = await openMailFlow(t);
  for (const password of [undefined, owners]) {
    const email = freshEmail();
    await signUp(flow, email, theirs);
    await flow.nextMail(email);
    await signUp(flow, email, owners);
    t.equal((await redeem(flow, 'signup', email, (await flow.nextMail(email)).code, password)).status, 200);
    t.match(await passwordGrant(flow, email, theirs), refused);
    t.equal((await passwordGrant(flow, email, owners)).status, password ? 200 : 400);
  }
});

t.test('SEC-79: sign-ups with one password are an ordinary sign-up', async (t) => {
  const flow = await openMailFlow(t);
  const email = freshEmail();
  await signUp(flow, email, owners, { name: 'Ann' });
  await flow.nextMail(email);
  await signUp(flow, email, owners);
  await flow.follow((await flow.nextMail(email)).link!);
  t.match(await passwordGrant(flow, email, owners), {
    status: 200,
    body: { user: { user_metadata: { name: 'Ann' } } },
  });
});

t.test("SEC-79: an administrator's sign-up link does not keep an attacker's password", async (t) => {
  const flow = await openMailFlow(t);
  const email = freshEmail();
  await signUp(flow, email, theirs);
  await flow.nextMail(email);
  const { body } = await asAdmin(flow)('POST', '/admin/generate_link', { type: 'signup', email, password: operators });
  t.equal((await redeem(flow, 'signup', email, body.email_otp)).status, 200);
  t.match(await passwordGrant(flow, email, theirs), refused);
});

/** Ways to confirm the address of an account that an administrator has created. */
const proofs: [string, (flow: MailFlow, email: string) => Promise<{ status: number }>][] = [
  [
    'recovery',
    async (flow, email) => {
      await flow.post('/recover', { email });
      return redeem(flow, 'recovery', email, (await flow.nextMail(email)).code);
    },
  ],
  [
    'one-time code',
    async (flow, email) => {
      await flow.post('/otp', { email });
      return redeem(flow, 'email', email, (await flow.nextMail(email)).code);
    },
  ],
  [
    'confirmation after a sign-up of an attacker',
    async (flow, email) => {
      await signUp(flow, email, theirs, { planted: true });
      return redeem(flow, 'signup', email, (await flow.nextMail(email)).code);
    },
  ],
];

t.test('SEC-79: what an administrator set stays', async (t) => {
  const flow = await openMailFlow(t);
  for (const [name, prove] of proofs) {
    const email = freshEmail();
    const made = await asAdmin(flow)('POST', '/admin/users', {
      email,
      password: operators,
      user_metadata: { team: 'red' },
      app_metadata: { plan: 'gold' },
    });
    t.equal((await prove(flow, email)).status, 200, name);
    t.match(await passwordGrant(flow, email, operators), {
      status: 200,
      body: { user: { id: made.body.id, user_metadata: { team: 'red' }, app_metadata: { plan: 'gold' } } },
    });
    t.match(await passwordGrant(flow, email, theirs), refused, name);
  }
});

t.test("SEC-79: an attacker's account keeps what an administrator has set, and nothing else", async (t) => {
  const flow = await openMailFlow(t);
  const email = freshEmail();
  const { body } = await signUp(flow, email, theirs, { planted: true, team: 'blue' });
  await flow.nextMail(email);
  await asAdmin(flow)('PUT', `/admin/users/${body.id}`, { user_metadata: { team: 'red' }, role: 'editor' });
  await flow.post('/recover', { email });
  const { code } = await flow.nextMail(email);
  t.match(await redeem(flow, 'recovery', email, code), { status: 200, body: { user: { role: 'editor' } } });
  const { user_metadata: metadata, password_hash: hash } = await userOf(flow, email);
  t.same(metadata, { sub: body.id, email, email_verified: true, phone_verified: false, team: 'red' });
  t.equal(hash, null);

  const other = freshEmail();
  const second = await signUp(flow, other, theirs);
  await flow.nextMail(other);
  await asAdmin(flow)('PUT', `/admin/users/${second.body.id}`, { password: operators });
  await flow.post('/recover', { email: other });
  await redeem(flow, 'recovery', other, (await flow.nextMail(other)).code);
  t.equal((await passwordGrant(flow, other, operators)).status, 200, 'a password set by an operator');
});

t.test('SEC-79: an imported account keeps its data', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const email = freshEmail();
  const id = '5b0d2d0e-7e21-4a10-a2a2-53e3f4f2a111';
  const { importUsers } = await import('../../src/db/import.js');
  const { openDatabase } = await import('../../src/db/pool.js');
  const { keepLog } = await import('../support/quiet-log.js');
  const db = openDatabase({
    url: flow.database.url,
    maxConnections: 1,
    prefix: '',
    preparedStatements: true,
    log: keepLog(),
  });
  t.teardown(() => db.close());
  const at = new Date().toISOString();
  await importUsers(db, [
    {
      user: {
        id,
        aud: 'authenticated',
        role: 'authenticated',
        email,
        email_confirmed_at: null,
        phone: null,
        phone_confirmed_at: null,
        password_hash: '$argon2id$v=19$m=256,t=1,p=1$c2FsdHNhbHRzYWx0$Y2hlY2tjaGVja2NoZWNrY2hlY2s',
        invited_at: null,
        last_sign_in_at: null,
        app_metadata: { provider: 'email', providers: ['email', 'github'] },
        user_metadata: { kept: true },
        is_sso_user: false,
        is_anonymous: false,
        banned_until: null,
        created_at: at,
        updated_at: at,
      },
      identities: [
        {
          provider: 'github',
          provider_id: '42',
          identity_data: { sub: '42', email, email_verified: false },
          last_sign_in_at: null,
          created_at: at,
          updated_at: at,
        },
      ],
    },
  ]);
  await flow.post('/recover', { email });
  t.equal((await redeem(flow, 'recovery', email, (await flow.nextMail(email)).code)).status, 200);
  const user = await userOf(flow, email);
  t.ok(user.password_hash);
  t.match(user.user_metadata, { kept: true, email_verified: true });
  const { rows } = await flow.database.admin.query('select provider from identities where user_id = $1', [id]);
  t.same(rows, [{ provider: 'github' }]);
});

t.test('SEC-79: the first proof ends a session of an attacker and revokes pending codes', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true' });
  for (const [name, invite] of invitations) {
    const email = freshEmail();
    const as = flow.providers.person('github', { email, isVerified: false, subject: subjects++ });
    const attacker = await flow.signIn('github', { as });
    const bearer = attacker.fragment.get('access_token')!;
    await flow.nextMail(email);
    await flow.call('PUT', '/user', { bearer, body: { password: theirs, data: { planted: true } } });
    const accepted = await redeem(flow, 'invite', email, await invite(flow, email));
    t.equal(accepted.body.user.id, claimsOf(bearer).sub, name);
    t.same(
      accepted.body.user.identities.map((identity: { provider: string }) => identity.provider),
      [],
      name,
    );
    t.notOk('planted' in accepted.body.user.user_metadata, name);
    t.match(await passwordGrant(flow, email, theirs), refused, name);
    const refresh = await flow.post('/token?grant_type=refresh_token', {
      refresh_token: attacker.fragment.get('refresh_token'),
    });
    t.match(refresh, { status: 400, body: { error_code: 'refresh_token_not_found' } }, name);
  }
});
