import { adminToken } from '../support/admin.js';
import { Authenticator } from '../support/authenticator.js';
import { claimsOf, enrolTotp, openApp, verifyWith } from '../support/authenticator-app.js';
import { openMailFlow } from '../support/mail-flows.js';
import {
  beginRegistration,
  finishRegistration,
  openPasskeyServer,
  passkeySettings,
  registerUser,
  tryRegister,
  trySignIn,
} from '../support/passkeys.js';
import { password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('with a second factor only a raised session adds and deletes passkeys', async (t) => {
  const server = await openPasskeyServer(t);
  const { call, post } = server;
  const { user, authenticator, id } = await registerUser(server);
  const session = (await post('/token?grant_type=password', { email: user.email, password })).body;
  const factor = await enrolTotp(server, session);
  const raised = await verifyWith(server, session, factor.id, openApp(factor.secret).nextCode());
  t.equal(claimsOf(raised.body.access_token)['aal'], 'aal2');

  const signedIn = (await trySignIn(server, authenticator)).body;
  t.equal(claimsOf(signedIn.access_token)['aal'], 'aal1', 'a passkey does not replace the second factor');
  const bearer: string = signedIn.access_token;
  const guarded = {
    code: 403,
    error_code: 'insufficient_aal',
    msg: 'AAL2 session is required to manage passkeys when MFA is enabled',
  };
  t.match((await beginRegistration(server, { ...user, bearer })).body, guarded);
  t.match((await finishRegistration(server, { ...user, bearer }, '', {})).body, guarded, 'before the body is read');
  t.match((await call('DELETE', `/passkeys/${id}`, { bearer })).body, guarded);
  t.equal((await call('PATCH', `/passkeys/${id}`, { bearer, body: { friendly_name: 'x' } })).status, 200);

  const high = { ...user, bearer: raised.body.access_token };
  t.equal((await tryRegister(server, high, new Authenticator())).status, 200);
  t.equal((await call('DELETE', `/passkeys/${id}`, { bearer: high.bearer })).status, 204);
});

t.test('a passkey that counts as two factors manages passkeys, until it is deleted', async (t) => {
  const server = await openPasskeyServer(t, { PASSKEY_AAL2_WITH_USER_VERIFICATION: 'true' });
  const { call, post } = server;
  const { user, authenticator, id } = await registerUser(server);
  const session = (await post('/token?grant_type=password', { email: user.email, password })).body;
  const factor = await enrolTotp(server, session);
  const raised = await verifyWith(server, session, factor.id, openApp(factor.secret).nextCode());
  const { body } = await trySignIn(server, authenticator);
  t.equal((await tryRegister(server, { ...user, bearer: body.access_token }, new Authenticator())).status, 200);
  t.equal((await call('DELETE', `/passkeys/${id}`, { bearer: raised.body.access_token })).status, 204);
  t.equal((await beginRegistration(server, { ...user, bearer: body.access_token })).status, 403);
  const refreshed = await post('/token?grant_type=refresh_token', { refresh_token: body.refresh_token });
  t.equal(claimsOf(refreshed.body.access_token)['aal'], 'aal1');
});

t.test('the first proof of an address removes the passkeys from before it', async (t) => {
  const server = await openPasskeyServer(t);
  const { user, authenticator } = await registerUser(server);
  await server.database.admin.query('update users set email_confirmed_at = null where id = $1', [user.id]);
  const link = await server.admin('POST', '/admin/generate_link', { type: 'magiclink', email: user.email });
  const proven = await server.post('/verify', { type: 'magiclink', token_hash: link.body.hashed_token });
  t.equal(proven.status, 200);
  t.same((await server.call('GET', '/passkeys', { bearer: proven.body.access_token })).body, []);
  t.equal((await trySignIn(server, authenticator)).body.error_code, 'webauthn_verification_failed');
});

t.test('notices tell of new and removed passkeys', async (t) => {
  const flow = await openMailFlow(t, {
    ...passkeySettings,
    MAILER_AUTOCONFIRM: 'true',
    MAILER_NOTIFICATIONS_PASSKEY_ADDED_ENABLED: 'true',
    MAILER_NOTIFICATIONS_PASSKEY_REMOVED_ENABLED: 'true',
  });
  const { user, id } = await registerUser(flow);
  const added = await flow.nextMail(user.email);
  t.equal(added.subject, 'A passkey was added to your account');
  t.match(added.text, /You can now sign in to your account with a new passkey\./);
  const second = await tryRegister(flow, user, new Authenticator());
  t.equal((await flow.nextMail(user.email)).subject, 'A passkey was added to your account');
  await flow.call('DELETE', `/passkeys/${id}`, { bearer: user.bearer });
  const removed = await flow.nextMail(user.email);
  t.equal(removed.subject, 'A passkey was removed from your account');
  t.match(removed.text, /This happened/);
  const path = `/admin/users/${user.id}/passkeys/${second.body.id}`;
  await flow.call('DELETE', path, { bearer: adminToken() });
  t.match((await flow.nextMail(user.email)).text, /An administrator made this change/);
});
