/** The account page: the own data, and the end of the account. */

import { openAccountPage, pathOf } from '../support/account-page.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, {
  PAGES_ENABLED: 'true',
  PAGES_ACCOUNT_DELETION_ENABLED: 'true',
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
});

async function signUp(): Promise<{ email: string; session: Session }> {
  const email = freshEmail();
  return { email, session: (await server.post('/signup', { email, password })).body as Session };
}

const exists = async (id: string): Promise<boolean> =>
  (await server.database.admin.query('select from users where id = $1', [id])).rows.length === 1;

const makeOld = () =>
  server.database.admin.query(
    `update sessions set amr = (select jsonb_agg(jsonb_set(e, '{timestamp}', to_jsonb((e ->> 'timestamp')::bigint - 700)))
     from jsonb_array_elements(amr) e)`,
  );

t.test('the own data: all of it, nothing of others, no secrets', async (t) => {
  const [own, other] = [await signUp(), await signUp()];
  const { id, secret } = await enrolTotp(server, own.session);
  const app = openApp(secret);
  const raised = (await verifyWith(server, own.session, id, app.nextCode())).body as Session;
  const codes = await server.call('POST', '/factors/recovery-codes', { bearer: raised.access_token });
  const browser = await openAccountPage(server.url, own.email, 'download');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  const form = browser.form('Download');
  await browser.send(form, { form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  await browser.send(browser.form('Download'));
  t.equal(browser.status, 200);
  t.equal(browser.headers.get('content-disposition'), 'attachment; filename="account.json"');
  t.equal(browser.headers.get('cache-control'), 'no-store');
  t.equal(browser.headers.get('access-control-allow-origin'), null);
  const data = JSON.parse(browser.html);
  t.equal(data.user.email, own.email);
  t.same(
    data.user.factors.map(({ factor_type }: { factor_type: string }) => factor_type),
    ['totp', 'recovery_code'],
  );
  t.ok(data.sessions.length >= 2);
  const actions = data.audit.map(({ action }: { action: string }) => action);
  for (const action of ['user_signedup', 'login', 'factor_in_progress', 'recovery_codes_generated']) {
    t.ok(actions.includes(action), action);
  }
  t.notMatch(browser.html, other.email);
  const { rows } = await server.database.admin.query<{ password_hash: string }>('select password_hash from users');
  for (const text of [secret, ...(codes.body.codes as string[]), rows[0]!.password_hash, own.session.refresh_token]) {
    t.notOk(browser.html.includes(text), 'no secret');
  }
});

t.test('deletion: the name is typed, and everything is gone', async (t) => {
  const { email, session } = await signUp();
  const browser = await openAccountPage(server.url, email, 'delete');
  const form = browser.form('/ui/account/delete');
  await browser.send(form, { name: 'somebody@example.com' });
  t.equal(browser.alert, 'What you typed is not the name of this account.');
  await browser.send(form, { name: email, form_token: 'x'.repeat(43) });
  t.equal(browser.status, 409);
  t.ok(await exists(session.user.id));
  await browser.send(browser.form('/ui/account/delete'), { name: ` ${email.toUpperCase()} ` });
  t.equal(pathOf(browser), '/ui/signed-out');
  t.notOk(await exists(session.user.id));
  const audit = await server.database.admin.query(
    "select payload ->> 'actor_id' as actor from audit_log where payload ->> 'action' = 'user_deleted'",
  );
  t.same(audit.rows, [{ actor: session.user.id }]);
  await browser.open('/ui/account');
  t.equal(pathOf(browser), '/ui/sign-in');
});

t.test('deletion some time after the sign-in: another sign-in comes first', async (t) => {
  const { email, session } = await signUp();
  const browser = await openAccountPage(server.url, email, 'delete');
  await makeOld();
  await browser.send(browser.form('/ui/account/delete'), { name: email });
  t.equal(pathOf(browser), '/ui/sign-in');
  t.ok(await exists(session.user.id));
  t.equal(browser.form('/ui/sign-in').fields['address'], email, 'of the same account');
  await browser.send(browser.form('/ui/sign-in'), { password });
  t.equal(pathOf(browser), '/ui/account/delete');
  await browser.send(browser.form('/ui/account/delete'), { name: email });
  t.equal(pathOf(browser), '/ui/signed-out');
  t.notOk(await exists(session.user.id));
});

t.test('deletion with a second factor: it is asked for again', async (t) => {
  const { email, session } = await signUp();
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  await verifyWith(server, session, id, app.nextCode());
  const browser = await openAccountPage(server.url, email, 'delete');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  await makeOld();
  await browser.send(browser.form('/ui/account/delete'), { name: email });
  t.equal(pathOf(browser), '/ui/mfa');
  t.ok(await exists(session.user.id));
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  t.equal(pathOf(browser), '/ui/account/delete');
  await browser.send(browser.form('/ui/account/delete'), { name: email });
  t.notOk(await exists(session.user.id));
});

t.test('deletion is off by default', async (t) => {
  const usual = await openTestServer(t, { PAGES_ENABLED: 'true' });
  const email = freshEmail();
  await usual.post('/signup', { email, password });
  const browser = await openAccountPage(usual.url, email, 'delete');
  t.equal(pathOf(browser), '/ui/account');
  t.notMatch(browser.html, 'Delete account');
  await browser.send(
    { ...browser.form('/ui/account'), action: `${usual.url}/ui/account/delete${new URL(browser.url).search}` },
    { name: email },
  );
  t.equal((await usual.post('/token?grant_type=password', { email, password })).status, 200);
});
