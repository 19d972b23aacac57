/** Notices of changes of second factors, as mails over SMTP. */

import { adminToken } from '../support/admin.js';
import { codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openMailFlow } from '../support/mail-flows.js';
import { passkeySettings, registerUser } from '../support/passkeys.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const kinds = [
  'FACTOR_ENROLLED',
  'FACTOR_UNENROLLED',
  'FACTORS_RESET',
  'RECOVERY_CODE_USED',
  'RECOVERY_CODES_REGENERATED',
];
const flow = await openMailFlow(t, {
  ...passkeySettings,
  MAILER_AUTOCONFIRM: 'true',
  WEBHOOKS_EVENTS: 'factor.*',
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  ...Object.fromEntries(kinds.map((kind) => [`MAILER_NOTIFICATIONS_MFA_${kind}_ENABLED`, 'true'])),
});

async function openAccount() {
  const email = freshEmail();
  const session = (await flow.post('/signup', { email, password })).body as Session;
  const signIn = async () => (await flow.post('/token?grant_type=password', { email, password })).body as Session;
  return { email, session, signIn };
}

const ADDED = 'A new verification method was added to your account';
const REMOVED = 'A verification method was removed from your account';

t.test('an app is added, verified again and removed', async (t) => {
  const { email, session, signIn } = await openAccount();
  const { id, secret } = await enrolTotp(flow, session);
  const begun = await enrolTotp(flow, session, { friendly_name: 'begun' });
  const app = openApp(secret);
  const first = await verifyWith(flow, session, id, app.nextCode());
  const added = await flow.nextMail(email);
  t.equal(added.subject, ADDED);
  t.match(added.text, /new second factor \(totp\)[\s\S]*choose a new password/);
  t.equal((await verifyWith(flow, await signIn(), id, app.nextCode())).status, 200);
  const bearer = first.body.access_token;
  t.equal((await flow.call('DELETE', `/factors/${begun.id}`, { bearer })).status, 404, 'it is gone');
  t.equal((await flow.call('DELETE', `/factors/${id}`, { bearer })).status, 200);
  t.equal((await flow.nextMail(email)).subject, REMOVED, 'no mail in between');
});

t.test('removing a factor that was never verified has a mail, and no event', async (t) => {
  const { email, session } = await openAccount();
  const { id } = await enrolTotp(flow, session);
  t.equal((await flow.call('DELETE', `/factors/${id}`, { bearer: session.access_token })).status, 200);
  t.equal((await flow.nextMail(email)).subject, REMOVED);
  const { rows } = await flow.database.admin.query(
    `select type from events where user_id = $1 and type like 'factor.%' order by id`,
    [session.user.id],
  );
  t.same(rows, []);
  const { id: kept, secret } = await enrolTotp(flow, session);
  await verifyWith(flow, session, kept, codeOf(secret));
  const after = await flow.database.admin.query(`select type from events where user_id = $1 and type like 'factor.%'`, [
    session.user.id,
  ]);
  t.same(after.rows, [{ type: 'factor.enrolled' }], 'they are recorded');
});

t.test('concurrent first verifications have one notice', async (t) => {
  const { email, session } = await openAccount();
  const { id, secret } = await enrolTotp(flow, session);
  const answers = await Promise.all([-1, 0, 1].map((later) => verifyWith(flow, session, id, codeOf(secret, later))));
  const verified = answers.find(({ status }) => status === 200)!;
  t.equal((await flow.nextMail(email)).subject, ADDED);
  await flow.call('DELETE', `/factors/${id}`, { bearer: verified.body.access_token });
  t.equal((await flow.nextMail(email)).subject, REMOVED);
});

t.test('recovery codes, and what an administrator does', async (t) => {
  const { email, session } = await openAccount();
  const { id, secret } = await enrolTotp(flow, session);
  const bearer = (await verifyWith(flow, session, id, codeOf(secret, -1))).body.access_token;
  await flow.nextMail(email);
  const path = '/factors/recovery-codes';
  t.equal((await flow.call('POST', path, { bearer })).status, 200);
  t.match((await flow.nextMail(email)).text, /new second factor \(recovery_code\)/);
  const { body } = await flow.call('POST', `${path}/regenerate`, { bearer });
  t.equal((await flow.nextMail(email)).subject, 'The recovery codes of your account were replaced');
  const used = await flow.call('POST', `${path}/verify`, { bearer, body: { code: body.codes[0] } });
  t.equal(used.status, 200);
  const notice = await flow.nextMail(email);
  t.equal(notice.subject, 'A recovery code of your account was used');
  t.match(notice.text, /Codes that are left: 9\./);
  t.equal((await flow.call('DELETE', path, { bearer: used.body.access_token })).status, 200);
  t.match((await flow.nextMail(email)).text, /second factor \(recovery_code\) was removed/);

  const admin = { bearer: adminToken() };
  await flow.call('DELETE', `/admin/users/${session.user.id}/factors/${id}`, admin);
  const removed = await flow.nextMail(email);
  t.equal(removed.subject, REMOVED);
  t.match(removed.text, /An administrator made this change/);
});

t.test('a reset removes passkeys on request, and has one mail', async (t) => {
  const { user } = await registerUser(flow);
  const path = `/admin/users/${user.id}`;
  const reset = (body: object) => flow.call('POST', `${path}/factors/reset`, { bearer: adminToken(), body });
  const passkeys = async () => (await flow.call('GET', `${path}/passkeys`, { bearer: adminToken() })).body.length;
  t.match(await reset({}), { status: 200, body: { removed_factors: 0, removed_passkeys: 0 } });
  t.equal(await passkeys(), 1);
  t.match(await reset({ passkeys: true }), { status: 200, body: { removed_passkeys: 1 } });
  t.equal(await passkeys(), 0);
  const mail = await flow.nextMail(user.email);
  t.equal(mail.subject, 'All verification methods were removed from your account');
  t.match(mail.text, /All second factors and passkeys were removed/, 'the reset that removed nothing has none');
  t.match(mail.text, /An administrator made this change/);
});
