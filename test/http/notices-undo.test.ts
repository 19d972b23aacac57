import { adminToken } from '../support/admin.js';
import { changePhone, testNumbers } from '../support/change-phone.js';
import { type Followed, type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

const phone = freshPhone();

const settings = {
  ...testNumbers(phone),
  MAILER_AUTOCONFIRM: 'true',
  MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
  MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: 'true',
  EXTERNAL_PHONE_ENABLED: 'true',
  SMS_AUTOCONFIRM: 'true',
  SITE_URL: 'https://app.example.com/home',
};

/** @param isProven an administrator has confirmed the address, which autoconfirm did not prove */
async function openAccount({ call }: Pick<MailFlow, 'call'>, email = freshEmail(), isProven = true) {
  const { body } = await call('POST', '/signup', { body: { email, password } });
  const confirm = { bearer: adminToken(), body: { email_confirm: true } };
  if (isProven) await call('PUT', `/admin/users/${body.user.id}`, confirm);
  return { email, id: body.user.id as string, bearer: body.access_token as string, refresh: body.refresh_token };
}

async function changeAddress(flow: MailFlow, bearer: string, from: string, to: string): Promise<URL> {
  await flow.call('PUT', '/user', { bearer, body: { email: to } });
  await flow.follow((await flow.nextMail(to)).link!);
  const { link } = await flow.nextMail(from);
  return link!;
}

/** Presses the button of the page behind the link. */
const press = (flow: MailFlow, link: URL): Promise<Followed> =>
  flow.follow(new URL('/verify/confirm', link), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: link.searchParams.toString(),
  });

t.test('an undo ends everything that the thief of a session has gained', async (t) => {
  const flow = await openMailFlow(t, settings);
  const { email: a, bearer, refresh } = await openAccount(flow);
  const [b, c] = [freshEmail(), freshEmail()];
  const undo = await changeAddress(flow, bearer, a, b);
  const later = await changeAddress(flow, bearer, b, c);
  const stolen = { password: 'the password of the thief' };
  t.equal((await flow.call('PUT', '/user', { bearer, body: stolen })).status, 200);
  t.equal((await changePhone(flow, bearer, phone)).status, 200);
  await flow.call('PUT', '/user', { bearer, body: { email: freshEmail() } });

  await t.test('a scanner that follows the link changes nothing', async (t) => {
    await flow.follow(undo, { method: 'HEAD' });
    for (let visit = 1; visit <= 2; visit++) {
      const page = await flow.follow(undo);
      t.equal(page.status, 200);
      t.match(page.text, /Take your address back/);
    }
    t.equal((await flow.call('GET', '/user', { bearer })).body.email, c);
  });

  await t.test('the button takes the first address back, and signs in to choose a password', async (t) => {
    const results = await Promise.all([press(flow, undo), press(flow, undo)]);
    const [done, again] = results.sort((x) => (x.fragment.has('access_token') ? -1 : 1));
    t.equal(done!.location!.href.split('#')[0], 'https://app.example.com/home');
    t.equal(done!.fragment.get('type'), 'recovery');
    t.equal(again!.fragment.get('error_code'), 'otp_expired', 'once, though pressed twice at the same time');
    const owner = done!.fragment.get('access_token')!;
    const { body } = await flow.call('GET', '/user', { bearer: owner });
    t.match(body, { email: a, phone: '', app_metadata: { provider: 'email', providers: ['email'] } });
    t.notOk(body.new_email);
    t.same(
      body.identities.map(({ provider }: { provider: string }) => provider),
      ['email'],
    );
    t.equal(body.identities[0].identity_data.email, a);

    const signIn = (contact: object, text: string) =>
      flow.call('POST', '/token?grant_type=password', { body: { ...contact, password: text } });
    for (const text of [password, stolen.password]) t.equal((await signIn({ email: a }, text)).status, 400);
    t.equal((await signIn({ phone }, stolen.password)).status, 400);
    const renewed = await flow.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: refresh } });
    t.equal(renewed.status, 400, 'the session of the thief is over');
    t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'once more the thief' } })).status, 403);
    const chosen = await flow.call('PUT', '/user', { bearer: owner, body: { password: 'the password of the owner' } });
    t.equal(chosen.status, 200);
    t.equal((await signIn({ email: a }, 'the password of the owner')).status, 200);
  });

  await t.test('links of later changes are over, and the replaced address gets none', async (t) => {
    t.equal((await press(flow, later)).fragment.get('error_code'), 'otp_expired');
    const told = await flow.nextMail(c);
    t.equal(told.subject, 'Your email address was changed');
    t.equal(told.link, undefined);
    t.ok(told.text.includes(`from ${c} to ${a}`), told.text);
  });
});

t.test('an address that another account has meanwhile', async (t) => {
  const flow = await openMailFlow(t, settings);
  await t.test('proven: it stays there, and the link stays valid', async (t) => {
    const { email, bearer } = await openAccount(flow);
    const undo = await changeAddress(flow, bearer, email, freshEmail());
    const other = await openAccount(flow, email);
    t.equal((await press(flow, undo)).fragment.get('error_code'), 'email_exists');
    t.equal((await flow.call('GET', '/user', { bearer: other.bearer })).body.email, email);
    await flow.call('DELETE', `/admin/users/${other.id}`, { bearer: adminToken() });
    t.ok((await press(flow, undo)).fragment.has('access_token'));
  });
  await t.test('not proven: a sign-up does not block the link', async (t) => {
    const { email, bearer } = await openAccount(flow);
    const undo = await changeAddress(flow, bearer, email, freshEmail());
    const { id } = await openAccount(flow, email, false);
    t.ok((await press(flow, undo)).fragment.has('access_token'));
    const { body } = await flow.call('GET', `/admin/users/${id}`, { bearer: adminToken() });
    t.equal(body.email, '', 'the unproven account lost it');
  });
});

t.test('no device is trusted after an undo, also where there was no password to end', async (t) => {
  const flow = await openMailFlow(t, { ...settings, MFA_TRUSTED_DEVICE_ENABLED: 'true' });
  const { admin } = flow.database;
  const { email, id, bearer } = await openAccount(flow);
  const undo = await changeAddress(flow, bearer, email, freshEmail());
  await admin.query('update users set password_hash = null where id = $1', [id]);
  await admin.query(
    `with earlier as (
       insert into mfa_factors (user_id, kind, status, secret, updated_at)
       values ($1, 'totp', 'verified', 'sealed', now() - interval '1 hour') returning id
     )
     insert into mfa_trusted_devices (user_id, factor_id, token_hash, expires_at)
     select $1, f.id, 'hash', now() + interval '1 day' from earlier f`,
    [id],
  );
  t.ok((await press(flow, undo)).fragment.has('access_token'));
  t.equal((await admin.query('select from mfa_trusted_devices')).rowCount, 0);
  t.equal((await admin.query('select from mfa_factors')).rowCount, 1, 'a factor of before the change stays');
});

t.test('no undo for an address that was never proven: its mails may go to another person', async (t) => {
  const flow = await openMailFlow(t, settings);
  const { email, bearer } = await openAccount(flow, freshEmail(), false);
  t.equal(await changeAddress(flow, bearer, email, freshEmail()), undefined);
  t.equal((await flow.database.admin.query('select from address_undos')).rowCount, 0);
});

t.test('no undo', async (t) => {
  const flow = await openMailFlow(t, { ...settings, MAILER_NOTIFICATIONS_ADMIN_CHANGES: 'true' });
  const codeAfter = async (spoil: (id: string) => Promise<unknown>) => {
    const { email, id, bearer } = await openAccount(flow);
    const undo = await changeAddress(flow, bearer, email, freshEmail());
    await spoil(id);
    return (await press(flow, undo)).fragment.get('error_code');
  };
  const admin = (id: string, body: object) => flow.call('PUT', `/admin/users/${id}`, { bearer: adminToken(), body });
  const age = "update address_undos set created_at = now() - interval '73 hours'";
  t.equal(await codeAfter(() => flow.database.admin.query(age)), 'otp_expired', 'after 72 h');
  t.equal(await codeAfter((id) => admin(id, { ban_duration: '1h' })), 'user_banned');
  t.equal(
    await codeAfter((id) => admin(id, { email: freshEmail(), email_confirm: true })),
    'otp_expired',
    'an administrator decided',
  );

  const { email, id } = await openAccount(flow);
  await admin(id, { email: freshEmail(), email_confirm: true });
  t.equal((await flow.nextMail(email)).link, undefined, 'of a change by an administrator');

  const without = await openMailFlow(t, { ...settings, MAILER_NOTIFICATIONS_UNDO_EXP: '0' });
  const account = await openAccount(without);
  t.equal(await changeAddress(without, account.bearer, account.email, freshEmail()), undefined, 'where it is off');
  t.equal((await without.database.admin.query('select from address_undos')).rowCount, 0);
});
