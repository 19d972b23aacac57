import { adminToken } from '../support/admin.js';
import { codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { startLeakService } from '../support/leaked-passwords.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a session that can only set a new password verifies a factor to do so', async (t) => {
  const service = await startLeakService(t);
  const server = await openTestServer(t, {
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    PASSWORD_LEAKED_ACTION: 'require_reset',
  });
  const { call, post, database } = server;
  const email = freshEmail();
  await call('POST', '/admin/users', { bearer: adminToken(), body: { email, password, email_confirm: true } });
  const signIn = async () => (await post('/token?grant_type=password', { email, password })).body as Session;
  const session = await signIn();
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  t.equal((await verifyWith(server, session, id, app.nextCode())).status, 200);

  // Answers of the service are kept, so the password is another one, not leaked meanwhile.
  const leaked = 'trustno1!';
  service.leaked.add(leaked);
  const other = freshEmail();
  await call('POST', '/admin/users', { bearer: adminToken(), body: { email: other, password: leaked } });
  const copy =
    'update users set password_hash = (select o.password_hash from users o where o.email = $1) where email = $2';
  await database.admin.query(copy, [other, email]);
  const limited = (await post('/token?grant_type=password', { email, password: leaked })).body as Session;
  const change = (bearer: string) => call('PUT', '/user', { bearer, body: { password: 'a safe one of 7 words' } });
  t.match(await call('GET', '/user', { bearer: limited.access_token }), { status: 403 }, 'limited');
  t.match(await change(limited.access_token), { status: 401, body: { error_code: 'insufficient_aal' } });
  const raised = await verifyWith(server, limited, id, codeOf(secret));
  t.equal(raised.status, 200);
  t.match(await call('GET', '/user', { bearer: raised.body.access_token }), { status: 403 }, 'still limited');
  t.equal((await change(raised.body.access_token)).status, 200);
});

t.test('where everybody needs a factor, a leaked password is replaced first', async (t) => {
  const service = await startLeakService(t);
  const leaked = 'trustno1!';
  service.leaked.add(leaked);
  const { call, post } = await openTestServer(t, {
    PASSWORD_HIBP_ENABLED: 'true',
    PASSWORD_HIBP_API_URL: service.url,
    PASSWORD_LEAKED_ACTION: 'require_reset',
    MFA_REQUIRED: 'all',
  });
  const email = freshEmail();
  const created = { email, password: leaked, email_confirm: true };
  await call('POST', '/admin/users', { bearer: adminToken(), body: created });
  const limited = (await post('/token?grant_type=password', { email, password: leaked })).body as Session;
  const bearer = limited.access_token;
  t.match(await call('POST', '/factors', { bearer, body: { factor_type: 'totp' } }), {
    status: 403,
    body: { error_code: 'password_reset_required' },
  });
  const safe = 'a safe one of 7 words';
  t.equal((await call('PUT', '/user', { bearer, body: { password: safe } })).status, 200);
  const next = (await post('/token?grant_type=password', { email, password: safe })).body as Session;
  t.match(await call('PUT', '/user', { bearer: next.access_token, body: { data: { a: 1 } } }), {
    status: 403,
    body: { error_code: 'mfa_required' },
  });
  t.equal((await call('POST', '/factors', { bearer: next.access_token, body: { factor_type: 'totp' } })).status, 200);
});
