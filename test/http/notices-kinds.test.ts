import { adminToken } from '../support/admin.js';
import { changePhone, testNumbers } from '../support/change-phone.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const on = (...kinds: string[]) =>
  Object.fromEntries(kinds.map((kind) => [`MAILER_NOTIFICATIONS_${kind}_ENABLED`, 'true']));

async function openAccount({ call }: Pick<MailFlow, 'call'>, email = freshEmail(), agent = FIREFOX) {
  const { body } = await call('POST', '/signup', { body: { email, password }, headers: { 'user-agent': agent } });
  return { email, id: body.user.id as string, bearer: body.access_token as string };
}

const signIn = async ({ call }: Pick<MailFlow, 'call'>, email: string, agent: string) =>
  (await call('POST', '/token?grant_type=password', { body: { email, password }, headers: { 'user-agent': agent } }))
    .body;

/** Waits a little for mails that should not come. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

t.test('EMAIL_CHANGED goes to the old address, when the change is confirmed', async (t) => {
  const flow = await openMailFlow(t, {
    MAILER_AUTOCONFIRM: 'true',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    ...on('EMAIL_CHANGED'),
  });
  const { email, bearer } = await openAccount(flow);
  const next = freshEmail();
  await flow.call('PUT', '/user', { bearer, body: { email: next } });
  const { link } = await flow.nextMail(next);
  await settled();
  t.equal(await flow.mailsTo(email), 0, 'not yet');
  t.equal((await flow.follow(link!)).status, 303);
  const notice = await flow.nextMail(email);
  t.equal(notice.subject, 'Your email address was changed');
  t.ok(notice.text.includes(`from ${email} to ${next}`), notice.text);
  t.ok((await flow.follow(link!)).fragment.has('error'), 'the link works once');
  await settled();
  t.equal(await flow.mailsTo(email), 1);
  t.equal(await flow.mailsTo(next), 1, 'only the confirmation');
});

t.test('PHONE_CHANGED, and IDENTITY_LINKED for the first number', async (t) => {
  const [first, second] = [freshPhone(), freshPhone()];
  const flow = await openMailFlow(t, {
    MAILER_AUTOCONFIRM: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    ...testNumbers(first, second),
    ...on('PHONE_CHANGED', 'IDENTITY_LINKED'),
  });
  const { email, bearer } = await openAccount(flow);
  await changePhone(flow, bearer, first);
  const linked = await flow.nextMail(email);
  t.equal(linked.subject, 'A new sign-in method was linked to your account');
  t.match(linked.text, /with phone\./);
  await changePhone(flow, bearer, second);
  const changed = await flow.nextMail(email);
  t.equal(changed.subject, 'Your phone number was changed');
  t.ok(changed.text.includes(`from ${first} to ${second}`), changed.text);
});

t.test('IDENTITY_UNLINKED goes to the address before the removal', async (t) => {
  const phone = freshPhone();
  const flow = await openMailFlow(t, {
    MAILER_AUTOCONFIRM: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    SECURITY_MANUAL_LINKING_ENABLED: 'true',
    ...testNumbers(phone),
    ...on('IDENTITY_UNLINKED'),
  });
  const { email, bearer } = await openAccount(flow);
  const { body } = await changePhone(flow, bearer, phone);
  const identity = body.user.identities.find(({ provider }: { provider: string }) => provider === 'email');
  const remove = () => flow.call('DELETE', `/user/identities/${identity.identity_id}`, { bearer });
  t.equal((await remove()).status, 200);
  t.equal((await flow.call('GET', '/user', { bearer })).body.email, '', 'the address is gone');
  const notice = await flow.nextMail(email);
  t.equal(notice.subject, 'A sign-in method was removed from your account');
  t.match(notice.text, /no longer be signed in to with email/);
  t.not((await remove()).status, 200);
  await settled();
  t.equal(await flow.mailsTo(email), 1);
});

t.test('SIGN_IN_NEW_DEVICE: each new device once, the first one of an account never', async (t) => {
  const flow = await openMailFlow(t, { MAILER_AUTOCONFIRM: 'true', ...on('SIGN_IN_NEW_DEVICE') });
  const { email } = await openAccount(flow);
  await signIn(flow, email, FIREFOX);
  await settled();
  t.equal(await flow.mailsTo(email), 0);
  await Promise.all(Array.from({ length: 5 }, () => signIn(flow, email, SAFARI)));
  const notice = await flow.nextMail(email);
  t.equal(notice.subject, 'A new device signed in to your account');
  t.match(notice.text, /with Safari on iPhone from the address 127\.0\.0\.1/);
  await signIn(flow, email, FIREFOX);
  await signIn(flow, email, SAFARI);
  await flow.call('POST', '/token?grant_type=password', {
    body: { email, password: 'wrong wrong wrong' },
    headers: { 'user-agent': 'curl/8.5.0' },
  });
  await settled();
  t.equal(await flow.mailsTo(email), 1);
});

t.test('RECOVERY_USED tells of a recovery, and not of a magic link or a failed try', async (t) => {
  const flow = await openMailFlow(t, { MAILER_AUTOCONFIRM: 'true', ...on('RECOVERY_USED', 'SIGN_IN_NEW_DEVICE') });
  const { email } = await openAccount(flow);
  await flow.post('/recover', { email });
  const { link } = await flow.nextMail(email);
  const forged = new URL(link!);
  forged.searchParams.set('token', '0'.repeat(56));
  await flow.follow(forged);
  await flow.follow(link!, { headers: { 'user-agent': SAFARI } });
  t.equal((await flow.nextMail(email)).subject, 'Your account was recovered');
  await flow.post('/magiclink', { email });
  const magic = await flow.nextMail(email);
  await flow.follow(magic.link!, { headers: { 'user-agent': SAFARI } });
  await settled();
  t.equal(await flow.mailsTo(email), 3, 'one notice for one sign-in, though its device is new');
});

t.test('SESSIONS_REVOKED tells of other sessions only, and of a reused refresh token', async (t) => {
  const flow = await openMailFlow(t, {
    MAILER_AUTOCONFIRM: 'true',
    SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '0',
    ...on('SESSIONS_REVOKED'),
  });
  const { email, bearer } = await openAccount(flow);
  t.equal((await flow.call('POST', '/logout', { bearer })).status, 204);
  await settled();
  t.equal(await flow.mailsTo(email), 0, 'the only session');
  const [a] = [await signIn(flow, email, FIREFOX), await signIn(flow, email, SAFARI)];
  t.equal((await flow.call('POST', '/logout?scope=others', { bearer: a.access_token })).status, 204);
  t.equal((await flow.nextMail(email)).subject, 'Your other sessions were ended');
  const refresh = () =>
    flow.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: a.refresh_token } });
  t.equal((await refresh()).status, 200);
  const second = await Promise.all([refresh(), refresh(), refresh()]);
  t.same(
    second.map(({ status }) => status),
    [400, 400, 400],
  );
  await flow.nextMail(email);
  await settled();
  t.equal(await flow.mailsTo(email), 2);
});

t.test('administrators', async (t) => {
  const kinds = on('PASSWORD_CHANGED', 'EMAIL_CHANGED', 'ACCOUNT_DELETED');
  for (const isTold of [true, false]) {
    const flow = await openMailFlow(t, {
      MAILER_AUTOCONFIRM: 'true',
      MAILER_NOTIFICATIONS_ADMIN_CHANGES: String(isTold),
      ...kinds,
    });
    const bearer = adminToken();
    const { email, id } = await openAccount(flow);
    const change = { password: 'another battery staple', email: freshEmail(), email_confirm: true };
    t.equal((await flow.call('PUT', `/admin/users/${id}`, { bearer, body: change })).status, 200);
    if (isTold) {
      const texts = [await flow.nextMail(email), await flow.nextMail(email)].map(({ text }) => text);
      for (const text of texts) {
        t.match(text, /An administrator made this change/);
        t.notMatch(text, /127\.0\.0\.1|If it was not you/);
      }
    }
    await settled();
    t.equal(await flow.mailsTo(email), isTold ? 2 : 0, `told: ${isTold}`);
    for (const soft of [true, false]) {
      const gone = await openAccount(flow);
      const body = { should_soft_delete: soft };
      t.equal((await flow.call('DELETE', `/admin/users/${gone.id}`, { bearer, body })).status, 200);
      t.equal((await flow.nextMail(gone.email)).subject, 'Your account was deleted', 'only administrators delete');
    }
  }
});
