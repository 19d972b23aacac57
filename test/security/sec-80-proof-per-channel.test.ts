import { claimsOf, type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

let subjects = 8000;

const userOf = async ({ database }: ExternalFlow, id: string) =>
  (await database.admin.query('select * from users where id = $1', [id])).rows[0];

t.test('SEC-80: an address that the account did not prove leaves it when its phone is proven', async (t) => {
  const phone = freshPhone();
  const flow = await openExternalFlow(t, ['github'], {
    MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_TEST_OTP: `${phone}:424242`,
  });
  const { call, post } = flow;
  const victims = freshEmail();
  const attacker = await flow.signIn('github', {
    as: flow.providers.person('github', { email: victims, isVerified: false, subject: subjects++ }),
  });
  const bearer = attacker.fragment.get('access_token')!;
  const { sub } = claimsOf(bearer);
  await flow.nextMail(victims);
  t.equal((await call('PUT', '/user', { bearer, body: { phone, password } })).status, 200);
  const verified = await post('/verify', { type: 'phone_change', phone, token: '424242' });
  t.equal(verified.status, 200);
  t.match(await userOf(flow, sub), { email: null, phone }, 'the address is free');
  t.equal((await post('/token?grant_type=password', { phone, password })).status, 200);

  await post('/otp', { email: victims });
  const landing = await flow.follow((await flow.nextMail(victims)).link!);
  t.not(claimsOf(landing.fragment.get('access_token')).sub, sub, 'its owner gets an account of their own');
});

/** Ways for the owner to confirm an address. */
const proofs: [string, (flow: ExternalFlow, email: string) => Promise<string | null>][] = [
  [
    'recovery',
    async (flow, email) => {
      await flow.post('/recover', { email });
      return (await flow.follow((await flow.nextMail(email)).link!)).fragment.get('access_token');
    },
  ],
  [
    'one-time code',
    async (flow, email) => {
      await flow.post('/otp', { email });
      return (await flow.follow((await flow.nextMail(email)).link!)).fragment.get('access_token');
    },
  ],
  [
    'sign-up',
    async (flow, email) => {
      await flow.post('/signup', { email, password: 'another passphrase' });
      return (await flow.follow((await flow.nextMail(email)).link!)).fragment.get('access_token');
    },
  ],
  [
    'provider',
    async (flow, email) =>
      (
        await flow.signIn('github', { as: flow.providers.person('github', { email, subject: subjects++ }) })
      ).fragment.get('access_token'),
  ],
];

t.test('SEC-80: a proven phone does not prove an email', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { EXTERNAL_PHONE_ENABLED: 'true', SMS_AUTOCONFIRM: 'true' });
  const { post, database } = flow;
  for (const [name, prove] of proofs) {
    const phone = freshPhone();
    const { body } = await post('/signup', { phone, password, data: { planted: true } });
    const email = freshEmail();
    // As an older release, or sign-ins with unverified addresses, may have left it.
    await database.admin.query('update users set email = $2, proven_phone = phone where id = $1', [
      body.user.id,
      email,
    ]);
    const owned = claimsOf(await prove(flow, email));
    t.not(owned.sub, body.user.id, `${name}: the owner does not end up on the account`);
    t.match(await userOf(flow, owned.sub), { email, phone: null }, name);
    t.match(await userOf(flow, body.user.id), { email: null, phone }, `${name}: which gives the address up`);
    t.equal((await post('/token?grant_type=password', { phone, password })).status, 200, name);
    const again = claimsOf(await proofs[0]![1](flow, email));
    t.equal(again.sub, owned.sub, `${name}: and comes back to their own`);
  }
});

t.test('SEC-80: linking and unlinking gives no account an unconfirmed address', async (t) => {
  for (const MAILER_AUTOCONFIRM of ['false', 'true']) {
    const flow = await openExternalFlow(t, ['github', 'gitlab'], {
      SECURITY_MANUAL_LINKING_ENABLED: 'true',
      MAILER_AUTOCONFIRM,
    });
    const { database, call } = flow;
    const victims = freshEmail();
    const own = freshEmail();
    const attacker = await flow.signIn('github', {
      as: flow.providers.person('github', { email: own, subject: subjects++ }),
    });
    const bearer = attacker.fragment.get('access_token')!;
    const { sub } = claimsOf(bearer);
    // Linked manually, which does not check the owner of the address.
    await database.admin.query(
      `insert into identities (user_id, provider, provider_id, identity_data)
        values ($1, 'gitlab', '77', jsonb_build_object('sub', '77', 'email', $2::text, 'email_verified', false))`,
      [sub, victims],
    );
    const { identities } = (await call('GET', '/user', { bearer })).body;
    const github = identities.find(({ provider }: { provider: string }) => provider === 'github');
    t.equal((await call('DELETE', `/user/identities/${github.identity_id}`, { bearer })).status, 200);
    t.match(await userOf(flow, sub), { email: null, email_confirmed_at: null }, `autoconfirm ${MAILER_AUTOCONFIRM}`);
  }
});

t.test('SEC-80: unlinking the email identity releases an address that was not proven', async (t) => {
  const flow = await openExternalFlow(t, ['github'], {
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true',
  });
  const { database, call } = flow;
  const victims = freshEmail();
  const attacker = await flow.signIn('github', {
    as: flow.providers.person('github', { email: victims, isVerified: false, subject: subjects++ }),
  });
  const bearer = attacker.fragment.get('access_token')!;
  const { sub } = claimsOf(bearer);
  await database.admin.query(
    `insert into identities (user_id, provider, provider_id, identity_data)
      values ($1, 'email', $1::uuid::text, jsonb_build_object('sub', $1, 'email', $2::text, 'email_verified', false))`,
    [sub, victims],
  );
  const { identities } = (await call('GET', '/user', { bearer })).body;
  const email = identities.find(({ provider }: { provider: string }) => provider === 'email');
  t.equal((await call('DELETE', `/user/identities/${email.identity_id}`, { bearer })).status, 200);
  t.equal((await userOf(flow, sub)).email, null);
});
