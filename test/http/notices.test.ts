import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';

/** An account of a confirmed address, signed in. */
async function openAccount({ call }: Pick<MailFlow, 'call'>, email = freshEmail()) {
  const { body } = await call('POST', '/signup', { body: { email, password } });
  return { email, id: body.user.id as string, bearer: body.access_token as string };
}

const waitingNotices = async ({ database }: MailFlow) =>
  (await database.admin.query("select kind from outbox where kind like '%notification'")).rows.length;

t.test('PASSWORD_CHANGED', async (t) => {
  const flow = await openMailFlow(t, {
    MAILER_AUTOCONFIRM: 'true',
    MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true',
    RATE_LIMIT_NOTIFICATIONS_SENT: '2',
    RATE_LIMIT_EMAIL_SENT: '0',
  });
  const account = await openAccount(flow);
  const change = (text: string, bearer = account.bearer) =>
    flow.call('PUT', '/user', { bearer, body: { password: text }, headers: { 'user-agent': FIREFOX } });

  await t.test('tells when and from where, once for each change', async (t) => {
    t.equal((await change('another battery staple')).status, 200);
    const mail = await flow.nextMail(account.email);
    t.equal(mail.subject, 'Your password was changed');
    t.match(mail.text, /The password of your account was changed\./);
    t.match(mail.text, /on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC with Firefox on Windows from the address 127\.0\.0\.1/);
    t.match(mail.text, /If it was not you/);
    t.notMatch(mail.text, /battery|staple/);
    t.equal(mail.link, undefined);
    t.equal((await change('another battery staple')).status, 422, 'a refused change');
    t.equal((await flow.call('PUT', '/user', { bearer: account.bearer, body: { data: { a: 1 } } })).status, 200);
    t.equal((await change('a third battery staple')).status, 200);
    await flow.nextMail(account.email);
    t.equal(await flow.mailsTo(account.email), 2);
  });

  await t.test('at the limit of one recipient the change works without its notice; others get theirs', async (t) => {
    t.equal((await change('a fourth battery staple')).status, 200);
    const other = await openAccount(flow);
    t.equal((await change('a fifth battery staple', other.bearer)).status, 200);
    await flow.nextMail(other.email);
    t.equal(await flow.mailsTo(account.email), 2);
    t.equal(await waitingNotices(flow), 0);
  });
});

t.test('a notice waits for a mail server that is away, longer than codes are valid', async (t) => {
  const flow = await openMailFlow(t, {
    MAILER_AUTOCONFIRM: 'true',
    MAILER_OTP_EXP: '60',
    MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true',
  });
  const { email, bearer } = await openAccount(flow);
  flow.smtp.react = () => ({ code: 451, text: 'later' });
  t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
  while (
    (await flow.database.admin.query('select 1 from outbox where attempts > 0 and claimed_until is null')).rowCount ===
    0
  );
  flow.smtp.react = () => 'accept';
  await flow.database.admin.query("update outbox set created_at = now() - interval '2 days', next_attempt_at = now()");
  const { body } = await flow.call('POST', '/magiclink', { body: { email } });
  t.same(body, {}, 'another mail wakes the outbox');
  const subjects = [(await flow.nextMail(email)).subject, (await flow.nextMail(email)).subject];
  t.same(subjects.sort(), ['Your Magic Link', 'Your password was changed']);
});

t.test('no notice', async (t) => {
  await t.test('while the kind is off', async (t) => {
    const flow = await openMailFlow(t, { MAILER_AUTOCONFIRM: 'true' });
    const { email, bearer } = await openAccount(flow);
    t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
    t.equal(await waitingNotices(flow), 0);
    t.equal(await flow.mailsTo(email), 0);
  });

  await t.test('to an address that was never proven', async (t) => {
    const flow = await openMailFlow(t, {
      MAILER_AUTOCONFIRM: 'true',
      MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true',
    });
    const { email, bearer } = await openAccount(flow);
    await flow.database.admin.query('update users set email_confirmed_at = null');
    t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
    t.equal(await waitingNotices(flow), 0);
    t.equal(await flow.mailsTo(email), 0);
  });

  await t.test('to an address that is not authorized, and none without a mail server', async (t) => {
    const enabled = { MAILER_AUTOCONFIRM: 'true', MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: 'true' };
    for (const more of [{ EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES: 'only@example.com' }, { SMTP_HOST: '' }]) {
      const flow = await openMailFlow(t, { ...enabled, ...more });
      const { bearer } = await openAccount(flow);
      t.equal((await flow.call('PUT', '/user', { bearer, body: { password: 'another battery staple' } })).status, 200);
      t.equal(await waitingNotices(flow), 0);
    }
  });
});
