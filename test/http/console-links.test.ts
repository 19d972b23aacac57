/** Links of the console: mailed with the usual mail and its limits, or handed over; one rule, one audit entry each. */

import { asAdmin } from '../support/admin.js';
import { openTestConsole, type TestConsole } from '../support/console.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, password } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';

const mailTo = (port: number) => ({
  SMTP_HOST: '127.0.0.1',
  SMTP_PORT: String(port),
  SMTP_ADMIN_EMAIL: 'auth@example.com',
});

async function addUser(console: TestConsole, isConfirmed = true): Promise<{ id: string; email: string }> {
  const email = freshEmail();
  const { body } = await asAdmin(console)('POST', '/admin/users', { email, email_confirm: isConfirmed });
  return { id: body.id, email };
}

/** What the audit log has of an account since it was made. */
async function auditOf({ database }: TestConsole, userId: string) {
  const { rows } = await database.admin.query(
    `select payload from audit_log where payload #>> '{traits,user_id}' = $1 and payload ->> 'action' <> 'user_signedup'
    order by created_at`,
    [userId],
  );
  return rows.map(({ payload }) => payload);
}

t.test('each kind is the usual mail, works once, and has one audit entry without code or link', async (t) => {
  const smtp = await openTestMailServer(t);
  const console = await openTestConsole(t, { ...mailTo(smtp.port), URI_ALLOW_LIST: 'https://app.example.com/**' });
  const browser = await console.signIn('support', 'ann');
  let count = 0;
  for (const [type, isConfirmed, subject, action] of [
    ['recovery', true, 'Reset Your Password', 'user_recovery_requested'],
    ['magiclink', true, 'Your Magic Link', 'user_recovery_requested'],
    ['invite', false, 'You have been invited', 'user_invited'],
    ['signup', false, 'Confirm Your Signup', 'user_confirmation_requested'],
  ] as const) {
    const user = await addUser(console, isConfirmed);
    const body = { type, redirect_to: 'https://app.example.com/in', reason: 'ticket 9' };
    const answer = await browser.post(`/api/users/${user.id}/link/send`, body);
    t.match(answer, { status: 200, body: { sent_to: user.email, message_id: /^[0-9a-f-]{36}$/ } }, type);
    const mails = await smtp.waitForMails(++count);
    const mail = mails.at(-1)!;
    t.same([mail.subject, mail.to?.[0]?.address], [subject, user.email]);
    const link = new URL(/http\S+\/verify\?[^\s"<>]+/.exec(mail.text ?? '')![0].replaceAll('&amp;', '&'));
    t.equal(link.searchParams.get('redirect_to'), 'https://app.example.com/in');
    const token = link.searchParams.get('token')!;
    t.notOk(answer.text.includes(token), 'the operator does not see the link');
    const audit = await auditOf(console, user.id);
    t.match(audit, [
      {
        action,
        actor_username: 'ann',
        traits: { reason: 'ticket 9', link: type, delivery: 'send', user_email: user.email, request_id: /./ },
      },
    ]);
    t.equal(audit.length, 1, `one entry: ${type}`);
    t.notOk(JSON.stringify(audit).includes(token));
    const used = await console.call('GET', link.pathname + link.search);
    t.match(used.headers.get('location'), /^https:\/\/app\.example\.com\/in#access_token=/);
    t.match((await console.call('GET', link.pathname + link.search)).headers.get('location'), /otp_expired/);
  }
});

t.test('the interval and quota are those of the user; what is refused is neither stored nor recorded', async (t) => {
  const smtp = await openTestMailServer(t);
  const console = await openTestConsole(t, {
    ...mailTo(smtp.port),
    RATE_LIMIT_EMAIL_SENT: '3',
    MAILER_AUTOCONFIRM: 'false',
  });
  const browser = await console.signIn('support');
  const user = await addUser(console);
  const sendTo = (id: string, type: string) => browser.post(`/api/users/${id}/link/send`, { type });
  const tooSoon = { status: 429, body: { error_code: 'over_email_send_rate_limit', msg: /after \d+ seconds/ } };
  t.equal((await sendTo(user.id, 'recovery')).status, 200);
  t.match(await sendTo(user.id, 'recovery'), tooSoon);
  t.match(await console.post('/recover', { email: user.email }), tooSoon, 'it counts for the user, too');
  const other = await addUser(console);
  t.equal((await console.post('/recover', { email: other.email })).status, 200);
  t.match(await sendTo(other.id, 'recovery'), tooSoon, 'and the other way round');
  const race = await Promise.all([1, 2, 3].map(() => sendTo(other.id, 'magiclink')));
  t.same(race.map(({ status }) => status).sort(), [200, 429, 429]);
  t.match(await sendTo((await addUser(console)).id, 'recovery'), {
    status: 429,
    body: { msg: 'email rate limit exceeded' },
  });
  t.equal((await auditOf(console, user.id)).length, 1);
  t.equal((await auditOf(console, other.id)).length, 1);
  t.equal((await smtp.waitForMails(3)).length, 3);
});

t.test('what does not fit is refused in words', async (t) => {
  const smtp = await openTestMailServer(t);
  const console = await openTestConsole(t, {
    ...mailTo(smtp.port),
    EXTERNAL_PHONE_ENABLED: 'true',
    EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES: '',
  });
  const browser = await console.signIn('admin', 'ben');
  const user = await addUser(console);
  const path = `/api/users/${user.id}/link`;
  for (const type of ['invite', 'signup']) {
    t.match(await browser.post(`${path}/send`, { type }), { status: 422, body: { error_code: 'email_exists' } }, type);
    t.match(await browser.post(path, { type }), { status: 422, body: { error_code: 'email_exists' } }, type);
  }
  t.equal((await browser.post(`${path}/send`, { type: 'email_change_new' })).status, 400);
  t.equal((await browser.post(`${path}/send`, {})).status, 400);
  const { body: phone } = await asAdmin(console)('POST', '/admin/users', { phone: '15555550123', phone_confirm: true });
  for (const to of ['link', 'link/send']) {
    const refused = await browser.post(`/api/users/${phone.id}/${to}`, { type: 'recovery' });
    t.match(refused, { status: 400, body: { error_code: 'validation_failed' } }, to);
  }
  // Two accounts may have one address when one of them is of single sign-on: a link is for the account that is shown.
  const sso = await addUser(console);
  await console.database.admin.query('update users set is_sso_user = true, email = $2 where id = $1', [
    sso.id,
    user.email,
  ]);
  for (const to of ['link', 'link/send']) {
    const refused = await browser.post(`/api/users/${sso.id}/${to}`, { type: 'recovery' });
    t.match(refused, { status: 404, body: { error_code: 'user_not_found' } }, to);
  }
  t.same(await auditOf(console, user.id), []);
  t.match(
    await browser.post(`/api/users/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}/link/send`, { type: 'recovery' }),
    {
      status: 404,
    },
  );
  t.same(smtp.mails, []);
});

t.test('a link that is handed over names the operator, too, and takes a higher role', async (t) => {
  const console = await openTestConsole(t);
  const user = await addUser(console, false);
  const path = `/api/users/${user.id}/link`;
  const admin = await console.signIn('admin', 'ann');
  for (const type of ['recovery', 'signup']) {
    const made = await admin.post(path, { type, reason: 'on the phone' });
    t.match(made, { status: 200, body: { verification_type: type, action_link: /\/verify\?token=/ } });
    const audit = await auditOf(console, user.id);
    t.match(audit.at(-1), {
      actor_username: 'ann',
      traits: { link: type, delivery: 'copy', reason: 'on the phone', user_email: user.email },
    });
    t.notOk(JSON.stringify(audit).includes(made.body.hashed_token));
  }
  t.equal((await auditOf(console, user.id)).length, 2, 'one entry each');
  t.match(await admin.post(`${path}/send`, { type: 'recovery' }), {
    status: 409,
    body: { error_code: 'mail_off', msg: /AUTH_SMTP_HOST/ },
  });
  const support = await console.signIn('support');
  t.match(await support.post(path, { type: 'recovery' }), { status: 403, body: { error_code: 'operator_role' } });
  const viewer = await console.signIn('viewer');
  for (const to of [path, `${path}/send`]) {
    t.match(await viewer.post(to, { type: 'recovery' }), { status: 403, body: { error_code: 'operator_role' } });
  }
});

t.test('the hook that sends mails gets it, and a refusal of the hook gives the interval back', async (t) => {
  const receiver = await openHookReceiver(t, () => ({}));
  const console = await openTestConsole(t, hookSettingsOf('SEND_EMAIL', receiver.url));
  const browser = await console.signIn('support');
  const user = await addUser(console);
  const sendIt = () => browser.post(`/api/users/${user.id}/link/send`, { type: 'recovery' });
  receiver.answer = () => ({ error: { http_code: 422, message: 'not this one' } });
  t.match(await sendIt(), { status: 422, body: { msg: 'not this one' } });
  receiver.answer = () => ({});
  t.match(await sendIt(), { status: 200, body: { sent_to: user.email, message_id: null } });
  t.match(receiver.calls.at(-1)!.body, { user: { id: user.id }, email_data: { email_action_type: 'recovery' } });
  t.equal((await auditOf(console, user.id)).length, 1);
});

t.test('a password that was there before still signs in: a link by itself changes nothing', async (t) => {
  const smtp = await openTestMailServer(t);
  const console = await openTestConsole(t, mailTo(smtp.port));
  const browser = await console.signIn('support');
  const email = freshEmail();
  const { body } = await console.post('/signup', { email, password });
  t.equal((await browser.post(`/api/users/${body.user.id}/link/send`, { type: 'recovery' })).status, 200);
  t.equal((await console.post('/token?grant_type=password', { email, password })).status, 200);
});
