import { randomUUID } from 'node:crypto';
import { type AdminServer, openAdminServer } from '../support/admin.js';
import { claimsOf, codeOf, enrolTotp, type Session, verifyWith } from '../support/authenticator-app.js';
import { openPasskeyServer, registerUser } from '../support/passkeys.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, password, testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const recovery = { MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true', MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true' };

/** A user with a verified authenticator app, and a session at AAL2. */
async function openProtectedUser(server: AdminServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const { id: factorId, secret } = await enrolTotp(server, session);
  const raised = (await verifyWith(server, session, factorId, codeOf(secret))).body as Session;
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  const refresh = (of: Session) => server.post('/token?grant_type=refresh_token', { refresh_token: of.refresh_token });
  return { id: session.user.id as string, email, factorId, secret, raised, signIn, refresh };
}

t.test('administrators list, change and remove factors', async (t) => {
  const server = await openAdminServer(t);
  const { admin } = server;
  const user = await openProtectedUser(server);
  const path = `/admin/users/${user.id}/factors`;
  const { id: begun } = await enrolTotp(server, user.raised, { friendly_name: 'begun' });

  const listed = await admin('GET', path);
  t.equal(listed.status, 200);
  t.match(listed.body, [
    { id: user.factorId, factor_type: 'totp', status: 'verified', friendly_name: 'phone app', phone: '' },
    { id: begun, status: 'unverified', friendly_name: 'begun' },
  ]);
  t.notOk(JSON.stringify(listed.body).includes(user.secret), 'without secrets');
  const { users } = (await admin('GET', '/admin/users')).body;
  t.notOk('factors' in users[0], 'not in the list of users');
  const stranger = (await server.post('/signup', { email: freshEmail(), password })).body as Session;
  t.same((await admin('GET', `/admin/users/${stranger.user.id}/factors/`)).body, [], 'an empty array');

  const renamed = await admin('PUT', `${path}/${user.factorId}`, { friendly_name: 'work', phone: '+15550001' });
  t.match(renamed, { status: 200, body: { id: user.factorId, friendly_name: 'work', status: 'verified', phone: '' } });
  t.match(await admin('PUT', `${path}/${user.factorId}`, { friendly_name: '' }), { body: { friendly_name: 'work' } });
  t.match(await admin('PUT', `${path}/${begun}`, { friendly_name: 'work' }), {
    status: 422,
    body: { error_code: 'mfa_factor_name_conflict', msg: /"work"/ },
  });
  t.match(await server.audit('factor_updated'), [
    { actor_username: 'service_role', log_type: 'factor', traits: { user_id: user.id, factor_id: user.factorId } },
    {},
  ]);

  const removed = await admin('DELETE', `${path}/${user.factorId}`);
  t.match(removed, { status: 200, body: { id: user.factorId, status: 'verified' } });
  const lowered = await user.refresh(user.raised);
  t.match(claimsOf(lowered.body.access_token), { aal: 'aal1', amr: [{ method: 'password' }] });
  t.match(lowered.body.user.factors, [{ id: begun }]);
  t.match(await server.audit('factor_deleted'), [{ actor_id: user.id, traits: { factor_id: user.factorId } }]);
});

t.test('refusals of administrators’ calls', async (t) => {
  const server = await openAdminServer(t);
  const { admin, call } = server;
  const user = await openProtectedUser(server);
  const other = await openProtectedUser(server);
  const path = `/admin/users/${user.id}/factors`;
  const unknown = { status: 404, body: { error_code: 'mfa_factor_not_found' } };
  for (const method of ['PUT', 'DELETE']) {
    const body = method === 'PUT' ? { friendly_name: 'x' } : undefined;
    t.match(await admin(method, `${path}/${randomUUID()}`, body), unknown);
    t.match(await admin(method, `${path}/${other.factorId}`, body), unknown, 'of another user');
    t.match(await admin(method, `${path}/nonsense`, body), { status: 404, body: { error_code: 'validation_failed' } });
    t.match(await admin(method, `/admin/users/${randomUUID()}/factors/${user.factorId}`, body), {
      status: 404,
      body: { error_code: 'user_not_found' },
    });
  }
  const calls = [
    ['GET', path],
    ['PUT', `${path}/${user.factorId}`],
    ['DELETE', `${path}/${user.factorId}`],
    ['POST', `${path}/reset`],
  ] as const;
  for (const [method, at] of calls) {
    const bearer = user.raised.access_token;
    const body = method === 'PUT' || method === 'POST' ? { body: {} } : {};
    t.match(await call(method, at, { bearer, ...body }), { status: 403, body: { error_code: 'not_admin' } }, at);
  }
  t.equal((await admin('GET', path)).body.length, 1, 'nothing has happened');
});

t.test('a reset removes all factors and ends all sessions', async (t) => {
  const server = await openAdminServer(t, recovery);
  const { admin, call } = server;
  const user = await openProtectedUser(server);
  const bearer = user.raised.access_token;
  t.equal((await call('POST', '/factors/recovery-codes', { bearer })).status, 200);
  await enrolTotp(server, user.raised, { friendly_name: 'begun' });
  const low = await user.signIn();

  const reset = await admin('POST', `/admin/users/${user.id}/factors/reset`);
  t.same([reset.status, reset.body], [200, { id: user.id, removed_factors: 3, removed_passkeys: 0 }]);
  t.same((await admin('GET', `/admin/users/${user.id}/factors`)).body, []);
  t.equal((await server.database.admin.query('select from mfa_recovery_codes')).rowCount, 0);
  for (const session of [user.raised, low]) {
    t.match(await user.refresh(session), { status: 400, body: { error_code: 'refresh_token_not_found' } });
  }
  t.match(await server.audit('factors_reset'), [
    { actor_username: 'service_role', traits: { user_id: user.id, user_email: user.email, factors: 3, logout: true } },
  ]);
  const again = await user.signIn();
  t.equal(again.user.factors, undefined);
  const put = { bearer: again.access_token, body: { password: 'another correct horse' } };
  t.equal((await call('PUT', '/user', put)).status, 200, 'the password alone is enough');

  t.match(await admin('POST', `/admin/users/${user.id}/factors/reset`, {}), { body: { removed_factors: 0 } });
  t.match(await admin('POST', `/admin/users/${randomUUID()}/factors/reset`), { status: 404 });
});

t.test('a reset without logout lowers sessions', async (t) => {
  const server = await openAdminServer(t);
  const user = await openProtectedUser(server);
  const reset = await server.admin('POST', `/admin/users/${user.id}/factors/reset`, { logout: false });
  t.equal(reset.status, 200);
  const lowered = await user.refresh(user.raised);
  t.match(claimsOf(lowered.body.access_token), { aal: 'aal1', amr: [{ method: 'password' }] });
  t.equal((claimsOf(lowered.body.access_token)['amr'] as unknown[]).length, 1);
  t.match(await server.audit('factors_reset'), [{ traits: { factors: 1, logout: false } }]);
});

t.test('a session that signs in during a reset does not stay at AAL2', async (t) => {
  const server = await openAdminServer(t);
  const user = await openProtectedUser(server);
  const sessions = await Promise.all(Array.from({ length: 4 }, () => user.signIn()));
  const code = codeOf(user.secret, 1);
  const [reset, ...verified] = await Promise.all([
    server.admin('POST', `/admin/users/${user.id}/factors/reset`, { logout: false }),
    ...sessions.map((session) => verifyWith(server, session, user.factorId, code)),
  ]);
  t.equal(reset?.status, 200);
  t.ok(verified.every(({ status }) => status < 500));
  const { rows } = await server.database.admin.query('select aal, second_factors from sessions');
  t.ok(rows.every((row) => row.aal === 'aal1' && row.second_factors === null));
});

t.test('latchkey users reset-mfa', async (t: Test) => {
  const server = await openAdminServer(t);
  const file = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const environment = testEnvironment(server.database.url);
  const command = (...args: string[]) => runCommand(['users', 'reset-mfa', ...args], environment, file);
  const [one, two] = [await openProtectedUser(server), await openProtectedUser(server)];

  const byEmail = await command(one.email.toUpperCase());
  t.same([byEmail.code, JSON.parse(byEmail.out)], [0, { id: one.id, removed_factors: 1, removed_passkeys: 0 }]);
  t.match(await one.refresh(one.raised), { status: 400 });
  const byId = await command(two.id, '--keep-sessions');
  t.same([byId.code, JSON.parse(byId.out)], [0, { id: two.id, removed_factors: 1, removed_passkeys: 0 }]);
  t.match(claimsOf((await two.refresh(two.raised)).body.access_token), { aal: 'aal1' });
  t.match(await server.audit('factors_reset'), [{ actor_username: 'command_line' }, {}]);

  // A person of a company has the same address, by the word of that company alone.
  const { rows } = await server.database.admin.query(
    `with made as (insert into users (id, aud, role, email, is_sso_user)
         values (gen_random_uuid(), 'authenticated', '', $1, true) returning id)
     insert into identities (user_id, provider, provider_id, identity_data)
     select id, 'sso:acme', '1', jsonb_build_object('email', $1::text) from made returning user_id`,
    [one.email],
  );
  t.match(JSON.parse((await command(one.email)).out), { id: one.id }, 'of two accounts that which can be found by it');
  await server.database.admin.query('delete from users where id = $1', [one.id]);
  t.match(await command(one.email), { code: 1, err: /no such account/ });
  t.match(await command(rows[0].user_id), { code: 0 }, 'the other one by its id');
  t.match(await command(freshEmail()), { code: 1, err: /no such account/ });
  t.match(await command(randomUUID()), { code: 1, err: /no such account/ });
  t.match(await command('nonsense'), { code: 1, out: '' });
  t.match(await command(), { code: 2, err: /name the account/ });
});

t.test('latchkey users reset-mfa --passkeys', async (t) => {
  const server = await openPasskeyServer(t);
  const file = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const { user } = await registerUser(server);
  const reset = (...args: string[]) =>
    runCommand(['users', 'reset-mfa', user.email, ...args], testEnvironment(server.database.url), file);
  t.match(JSON.parse((await reset()).out), { removed_passkeys: 0 }, 'only on request');
  t.match(JSON.parse((await reset('--passkeys')).out), { id: user.id, removed_passkeys: 1 });
  t.same((await server.admin('GET', `/admin/users/${user.id}/passkeys`)).body, []);
});

t.test('an address of an identity is not the address of the account', async (t) => {
  const server = await openAdminServer(t);
  const file = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const user = await openProtectedUser(server);
  const foreign = freshEmail();
  await server.database.admin.query(
    `insert into identities (user_id, provider, provider_id, identity_data)
     values ($1, 'github', '1', jsonb_build_object('email', $2::text))`,
    [user.id, foreign],
  );
  const outcome = await runCommand(['users', 'reset-mfa', foreign], testEnvironment(server.database.url), file);
  t.equal(outcome.code, 1);
  t.equal((await server.admin('GET', `/admin/users/${user.id}/factors`)).body.length, 1);
});
