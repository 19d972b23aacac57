import { adminToken } from '../support/admin.js';
import { claimsOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openExternalFlow } from '../support/external-flow.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const SETTINGS = {
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
};
/** Accounts have sessions before their address is proven. */
const UNPROVEN = { ...SETTINGS, MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true' };

/** A server that admits accounts of a provider that has not verified their address, and such an account. */
async function openUnproven(t: Test) {
  const flow = await openExternalFlow(t, ['google'], UNPROVEN);
  const email = freshEmail();
  const id_token = await flow.providers.idToken('google', { sub: `of ${email}`, email, email_verified: false });
  const { body } = await flow.post('/token?grant_type=id_token', { id_token, provider: 'google' });
  return { flow, email, session: body as Session };
}

async function recover(flow: MailFlow, email: string) {
  await flow.post('/recover', { email });
  let mail = await flow.nextMail(email);
  // A mail that asks to confirm the address may come first.
  while (!mail.subject.startsWith('Reset')) mail = await flow.nextMail(email);
  return flow.post('/verify', { type: 'recovery', email, token: mail.code });
}

/** Adds an authenticator app and recovery codes. */
async function addFactors(flow: MailFlow, session: Session): Promise<Session> {
  const { id, secret } = await enrolTotp(flow, session);
  const raised = (await verifyWith(flow, session, id, openApp(secret).nextCode())).body as Session;
  const { status } = await flow.call('POST', '/factors/recovery-codes', { bearer: raised.access_token });
  if (status !== 200) throw new Error(`No recovery codes: ${status}`);
  return raised;
}

async function countFactors({ database }: MailFlow, userId: string) {
  const { rows } = await database.admin.query(
    `select (select count(*)::int from mfa_factors f where f.user_id = $1) as factors,
      (select count(*)::int from mfa_recovery_codes r join mfa_factors f on f.id = r.factor_id where f.user_id = $1)
        as codes,
      (select u.factors from users u where u.id = $1) as listed`,
    [userId],
  );
  return rows[0];
}

const NONE = { factors: 0, codes: 0, listed: null };

/** An administrator confirms an address that autoconfirm did not prove. */
const proveByAdmin = ({ call }: MailFlow, { user }: Session) =>
  call('PUT', `/admin/users/${user.id}`, { bearer: adminToken(), body: { email_confirm: true } });

t.test('the first proof of an address keeps verified factors, and the operator helps the owner', async (t) => {
  const { flow, email, session } = await openUnproven(t);
  const raised = await addFactors(flow, session);
  await enrolTotp(flow, raised, { friendly_name: 'begun' });
  t.match(await countFactors(flow, raised.user.id), { factors: 3, codes: 10 });

  const proven = await recover(flow, email);
  t.equal(proven.status, 200);
  t.match(proven.body.user.factors, [{ status: 'verified' }, { factor_type: 'recovery_code' }], 'in the answer');
  t.match(await countFactors(flow, raised.user.id), { factors: 2, codes: 10 }, 'the one that was begun is gone');
  t.match(claimsOf(proven.body.access_token), { aal: 'aal1' });
  const choose = ({ access_token: bearer }: Session) =>
    flow.call('PUT', '/user', { bearer, body: { password: 'the password of the owner' } });
  t.equal((await choose(proven.body)).body.error_code, 'insufficient_aal', 'the data of a mistyped address are safe');
  const reset = `/admin/users/${raised.user.id}/factors/reset`;
  t.equal((await flow.call('POST', reset, { bearer: adminToken(), body: {} })).status, 200);
  t.equal((await choose((await recover(flow, email)).body)).status, 200);
});

t.test('later proofs keep the factors', async (t) => {
  const flow = await openMailFlow(t, SETTINGS);
  const email = freshEmail();
  await flow.post('/signup', { email, password });
  await flow.follow((await flow.nextMail(email)).link!);
  const { body } = await flow.post('/token?grant_type=password', { email, password });
  const { user } = await addFactors(flow, body as Session);
  const recovered = await recover(flow, email);
  t.match(recovered.body.user.factors, [{ status: 'verified' }, { factor_type: 'recovery_code' }]);
  t.match(
    await flow.call('PUT', '/user', { bearer: recovered.body.access_token, body: { password: 'a third horse' } }),
    { status: 401, body: { error_code: 'insufficient_aal' } },
    'whoever reads the mails still needs the factor',
  );
  t.match(await countFactors(flow, user.id), { factors: 2, codes: 10 });
});

t.test('imported factors stay', async (t) => {
  const { flow, email, session } = await openUnproven(t);
  const { user } = await addFactors(flow, session);
  // As an import leaves it.
  await flow.database.admin.query(
    `insert into account_origins (user_id, operator_set) values ($1, '{factors}')
    on conflict (user_id) do update set operator_set = '{factors}'`,
    [user.id],
  );
  const proven = await recover(flow, email);
  t.match(proven.body.user.factors, [{ factor_type: 'totp' }, { factor_type: 'recovery_code' }]);
  t.match(await countFactors(flow, user.id), { factors: 2, codes: 10 });
});

t.test('taking an address back removes the factors that were added since', async (t) => {
  const flow = await openMailFlow(t, {
    ...SETTINGS,
    MAILER_AUTOCONFIRM: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: 'true',
    SITE_URL: 'https://app.example.com/home',
  });
  /** @returns the link of the notice to the old address */
  async function changeAddress({ access_token: bearer }: Session, from: string): Promise<URL> {
    const to = freshEmail();
    await flow.call('PUT', '/user', { bearer, body: { email: to } });
    await flow.follow((await flow.nextMail(to)).link!);
    return (await flow.nextMail(from)).link!;
  }
  const press = (link: URL) =>
    flow.follow(new URL('/verify/confirm', link), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: link.searchParams.toString(),
    });

  const email = freshEmail();
  const thief = (await flow.post('/signup', { email, password })).body as Session;
  await proveByAdmin(flow, thief);
  const undo = await changeAddress(thief, email);
  await addFactors(flow, thief);
  const done = await press(undo);
  t.ok(done.fragment.get('access_token'));
  t.same(await countFactors(flow, thief.user.id), NONE);
  const bearer = done.fragment.get('access_token')!;
  t.equal((await flow.call('GET', '/user', { bearer })).body.factors, undefined);
  t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'the owner has it' } })).status, 200);

  const other = freshEmail();
  const owner = await addFactors(flow, (await flow.post('/signup', { email: other, password })).body as Session);
  await proveByAdmin(flow, owner);
  const later = await changeAddress(owner, other);
  t.ok((await press(later)).fragment.get('access_token'));
  t.match(await countFactors(flow, owner.user.id), { factors: 2, codes: 10 }, 'those from before stay');
});

t.test('a factor from before the change that is only verified after it goes', async (t) => {
  const flow = await openMailFlow(t, {
    ...SETTINGS,
    MAILER_AUTOCONFIRM: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: 'true',
  });
  const [email, to] = [freshEmail(), freshEmail()];
  const session = (await flow.post('/signup', { email, password })).body as Session;
  await proveByAdmin(flow, session);
  const { id, secret } = await enrolTotp(flow, session);
  await flow.call('PUT', '/user', { bearer: session.access_token, body: { email: to } });
  await flow.follow((await flow.nextMail(to)).link!);
  const { link } = await flow.nextMail(email);
  t.equal((await verifyWith(flow, session, id, openApp(secret).nextCode())).status, 200);
  await flow.follow(new URL('/verify/confirm', link!), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: link!.searchParams.toString(),
  });
  t.same(await countFactors(flow, session.user.id), NONE);
});

t.test('a deleted account has no factors', async (t) => {
  const flow = await openMailFlow(t, { ...SETTINGS, MAILER_AUTOCONFIRM: 'true' });
  for (const should_soft_delete of [true, false]) {
    const email = freshEmail();
    const { user } = await addFactors(flow, (await flow.post('/signup', { email, password })).body as Session);
    const path = `/admin/users/${user.id}`;
    const deleted = await flow.call('DELETE', path, { bearer: adminToken(), body: { should_soft_delete } });
    t.equal(deleted.status, 200);
    const { factors, codes, listed } = (await countFactors(flow, user.id)) as typeof NONE;
    t.same({ factors, codes, listed }, NONE);
    t.equal((await flow.database.admin.query('select from mfa_challenges')).rowCount, 0);
  }
});
