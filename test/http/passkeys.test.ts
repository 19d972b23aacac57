import { openAdminServer } from '../support/admin.js';
import { Authenticator } from '../support/authenticator.js';
import {
  beginRegistration,
  beginSignIn,
  claimsOf,
  finishRegistration,
  openPasskeyServer,
  RP_ID,
  registerUser,
  signUpUser,
  tryRegister,
  trySignIn,
} from '../support/passkeys.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NO_ID = '00000000-0000-4000-8000-000000000000';

t.test('with passkeys off every endpoint says so before anything else', async (t) => {
  const { call } = await openTestServer(t);
  const endpoints = [
    ['POST', '/passkeys/registration/options'],
    ['POST', '/passkeys/registration/verify'],
    ['POST', '/passkeys/authentication/options'],
    ['POST', '/passkeys/authentication/verify'],
    ['GET', '/passkeys'],
    ['GET', '/passkeys/signal'],
    ['PATCH', `/passkeys/${NO_ID}`],
    ['DELETE', `/passkeys/${NO_ID}`],
  ] as const;
  for (const [method, path] of endpoints) {
    const { status, body } = await call(method, path);
    t.match({ status, body }, { status: 404, body: { error_code: 'passkey_disabled', msg: 'Passkeys are disabled' } });
  }
  t.equal((await call('GET', '/settings')).body.passkeys_enabled, false);
});

t.test('a passkey is registered, listed, renamed, used and deleted', async (t) => {
  const server = await openPasskeyServer(t);
  const { call, audit } = server;
  const user = await signUpUser(server);
  const { bearer } = user;
  const aaguid = 'bada5566-a7aa-401f-bd96-45619a55120d';
  const authenticator = new Authenticator({ aaguid });

  const askedSeconds = Math.floor(Date.now() / 1000);
  const begun = await beginRegistration(server, user);
  t.equal(begun.status, 200);
  t.match(begun.body.challenge_id, UUID_8);
  const validSince = begun.body.expires_at - 300;
  t.ok(validSince >= askedSeconds && validSince <= Math.ceil(Date.now() / 1000));
  const handle = Buffer.from(user.id).toString('base64url');
  const { challenge, ...options } = begun.body.options;
  t.equal(Buffer.from(challenge, 'base64url').length, 32);
  t.same(options, {
    rp: { name: 'Example', id: RP_ID },
    user: { id: handle, name: user.email, displayName: user.email },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
    timeout: 300_000,
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    attestation: 'none',
  });
  const added = await finishRegistration(
    server,
    user,
    begun.body.challenge_id,
    authenticator.create(begun.body.options),
  );
  t.equal(added.status, 200);
  t.same(Object.keys(added.body), ['id', 'friendly_name', 'created_at']);
  t.equal(added.body.friendly_name, '1Password');
  const { id } = added.body;

  const again = await beginRegistration(server, user);
  t.same(again.body.options.excludeCredentials, [{ type: 'public-key', id: authenticator.credentialId }]);
  t.same((await call('GET', '/passkeys', { bearer })).body, [added.body]);

  const renamed = await call('PATCH', `/passkeys/${id}`, { bearer, body: { friendly_name: 'My phone' } });
  t.same([renamed.status, renamed.body], [200, { ...added.body, friendly_name: 'My phone' }]);

  const asked = await beginSignIn(server);
  t.match(asked.body.challenge_id, UUID_8);
  const { challenge: second, ...request } = asked.body.options;
  t.not(second, challenge);
  t.same(request, { timeout: 300_000, rpId: RP_ID, userVerification: 'preferred' });
  const triedMs = Date.now();
  const signedIn = await trySignIn(server, authenticator);
  t.equal(signedIn.status, 200);
  t.equal(signedIn.body.user.id, user.id);
  const claims = claimsOf(signedIn.body.access_token);
  t.match(claims, { aal: 'aal1', amr: [{ method: 'passkey' }] });
  const listed = (await call('GET', '/passkeys', { bearer: signedIn.body.access_token })).body;
  t.ok(Date.parse(listed[0].last_used_at) >= triedMs - 1);
  const refreshed = await server.post('/token?grant_type=refresh_token', {
    refresh_token: signedIn.body.refresh_token,
  });
  t.match(claimsOf(refreshed.body.access_token), { aal: 'aal1', amr: [{ method: 'passkey' }] });

  t.same((await call('GET', '/passkeys/signal', { bearer })).body, {
    rpId: RP_ID,
    userId: handle,
    allAcceptedCredentialIds: [authenticator.credentialId],
  });
  const deleted = await call('DELETE', `/passkeys/${id}`, { bearer });
  t.same([deleted.status, deleted.body], [204, undefined]);
  t.same((await call('GET', '/passkeys', { bearer })).body, []);
  t.equal((await trySignIn(server, authenticator)).body.error_code, 'webauthn_verification_failed');
  const entries = (await audit()).filter(({ traits }) => traits?.['passkey_id'] === id);
  t.same(
    entries.map(({ action, log_type }) => [action, log_type]),
    [
      ['passkey_created', 'user'],
      ['passkey_updated', 'user'],
      ['login', 'account'],
      ['passkey_deleted', 'user'],
    ],
  );
});

t.test('the options follow the settings, and write nothing', async (t) => {
  const server = await openPasskeyServer(t, {
    WEBAUTHN_USER_VERIFICATION: 'required',
    WEBAUTHN_ATTESTATION: 'direct',
    WEBAUTHN_REGISTRATION_ALGORITHMS: 'RS256,ES512',
    WEBAUTHN_CHALLENGE_EXPIRY_DURATION: '2m',
  });
  const user = await signUpUser(server);
  const { body } = await beginRegistration(server, user);
  t.match(body.options, {
    attestation: 'direct',
    authenticatorSelection: { userVerification: 'required' },
    pubKeyCredParams: [{ alg: -257 }, { alg: -36 }],
  });
  const lifetime = async (given: unknown) =>
    Math.round((await beginSignIn(server, given)).body.expires_at - Date.now() / 1000);
  t.ok(Math.abs((await lifetime({})) - 120) < 3);
  t.ok(Math.abs((await lifetime({ mediation: 'conditional' })) - 3600) < 3);
  const { rows } = await server.database.admin.query('select id from used_challenges');
  t.same(rows, []);
});

t.test('registration is refused in a fixed order', async (t) => {
  const server = await openPasskeyServer(t, {
    PASSKEY_MAX_PASSKEYS_PER_USER: '1',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  const { call, post } = server;
  const user = await signUpUser(server);
  const { bearer } = user;
  const verify = async (body: unknown, token = bearer) => {
    const answer = await call('POST', '/passkeys/registration/verify', { bearer: token, body });
    return [answer.status, answer.body.error_code, answer.body.msg];
  };
  t.same(await verify({}), [400, 'validation_failed', 'challenge_id is required']);
  t.same(await verify({ challenge_id: 'x' }), [400, 'validation_failed', 'credential is required']);
  t.same(await verify({ challenge_id: 'x', credential: {} }), [
    400,
    'validation_failed',
    'challenge_id must be a valid UUID',
  ]);
  t.same(await verify({ challenge_id: NO_ID, credential: {} }), [
    400,
    'webauthn_challenge_not_found',
    'Challenge not found or already used',
  ]);
  t.equal((await verify({ challenge_id: 1 }))[1], 'bad_json');
  const { body } = await beginRegistration(server, user);
  const unreadable = { challenge_id: body.challenge_id, credential: { id: 'x' } };
  t.same(await verify(unreadable), [400, 'webauthn_verification_failed', 'Invalid credential response']);
  t.equal((await verify(unreadable))[1], 'webauthn_challenge_not_found', 'a failure uses the challenge up');

  const anonymous = (await post('/signup', {})).body.access_token;
  t.same(await verify({}, anonymous), [403, 'no_authorization', 'Anonymous user not allowed to perform these actions']);
  t.same((await call('GET', '/passkeys', { bearer: anonymous })).body, []);

  const first = await beginRegistration(server, user);
  t.equal((await tryRegister(server, user, new Authenticator())).status, 200);
  t.match((await beginRegistration(server, user)).body, { code: 422, error_code: 'too_many_passkeys' });
  const late = new Authenticator().create(first.body.options);
  t.match((await finishRegistration(server, user, first.body.challenge_id, late)).body, {
    code: 422,
    error_code: 'too_many_passkeys',
    msg: 'Maximum number of passkeys reached',
  });

  const sso = await signUpUser(server);
  await server.database.admin.query('update users set is_sso_user = true where id = $1', [sso.id]);
  const answer = await call('POST', '/passkeys/registration/verify', { bearer: sso.bearer, body: { challenge_id: 1 } });
  t.same([answer.status, answer.body.msg], [422, 'SSO users cannot register passkeys'], 'before the body is read');
});

t.test('a session that has ended registers, lists and deletes nothing', async (t) => {
  const server = await openPasskeyServer(t);
  const { user, id } = await registerUser(server);
  const { call } = server;
  const { bearer } = user;
  await call('POST', '/logout', { bearer });
  for (const [method, path] of [
    ['POST', '/passkeys/registration/options'],
    ['GET', '/passkeys'],
    ['GET', '/passkeys/signal'],
    ['DELETE', `/passkeys/${id}`],
  ] as const) {
    t.match((await call(method, path, { bearer })).body, { code: 403, error_code: 'session_not_found' });
  }
});

t.test('names are checked', async (t) => {
  const server = await openPasskeyServer(t);
  const { user, id } = await registerUser(server);
  const other = await registerUser(server);
  const rename = async (path: string, name: unknown) => {
    const { status, body } = await server.call('PATCH', `/passkeys/${path}`, {
      bearer: user.bearer,
      body: { friendly_name: name },
    });
    return [status, body.error_code, body.msg];
  };
  const missing = [404, 'validation_failed', 'Passkey not found'];
  t.same(await rename('x', ''), missing);
  t.same(await rename('x', 1), missing, 'before the body is read');
  t.same(await rename(NO_ID, ''), [400, 'validation_failed', 'friendly_name is required']);
  const long = 'friendly_name must be 120 characters or less';
  t.same(await rename(NO_ID, 'é'.repeat(61)), [400, 'validation_failed', long]);
  t.same(await rename(other.id, 'x'), missing);
  t.equal((await rename(id, 'é'.repeat(60)))[0], 200);
  t.equal((await server.call('DELETE', `/passkeys/${other.id}`, { bearer: user.bearer })).status, 404);
});

t.test('the state of an account shows only after a true assertion', async (t) => {
  const server = await openPasskeyServer(t);
  const { database } = server;
  const { user, authenticator } = await registerUser(server);
  const state = async (columns: string, lies = {}) => {
    await database.admin.query(`update users set ${columns} where id = $1`, [user.id]);
    const { status, body } = await trySignIn(server, authenticator, lies);
    return [status, body.error_code, body.msg];
  };
  const unconfirmed = 'email_confirmed_at = null';
  t.same(await state(unconfirmed, { otherKey: true }), [
    400,
    'webauthn_verification_failed',
    'Credential verification failed',
  ]);
  t.same(await state(unconfirmed), [403, 'email_not_confirmed', 'Email not confirmed']);
  t.same(await state("email_confirmed_at = now(), phone = '15550001111'"), [
    403,
    'phone_not_confirmed',
    'Phone not confirmed',
  ]);
  t.same(await state("phone = null, banned_until = now() + interval '1 hour'"), [403, 'user_banned', 'User is banned']);
  t.equal((await state('banned_until = null'))[0], 200);
});

t.test('a passkey with user verification may count as two factors', async (t) => {
  const server = await openPasskeyServer(t, { PASSKEY_AAL2_WITH_USER_VERIFICATION: 'true' });
  const { authenticator } = await registerUser(server);
  t.equal((await beginSignIn(server)).body.options.userVerification, 'required');
  const level = async (uv: boolean) =>
    claimsOf((await trySignIn(server, authenticator, { flags: { uv } })).body.access_token)['aal'];
  t.equal(await level(true), 'aal2');
  t.equal(await level(false), 'aal1');
});

t.test('administrators list and delete passkeys', async (t) => {
  const server = await openPasskeyServer(t);
  const { admin, audit } = server;
  const { user, id, authenticator } = await registerUser(server);
  const path = `/admin/users/${user.id}/passkeys`;
  t.match((await admin('GET', path)).body, [{ id, friendly_name: 'Passkey' }]);
  t.equal((await admin('DELETE', `${path}/${NO_ID}`)).status, 404);
  t.equal((await admin('DELETE', `${path}/${id}`)).status, 204);
  t.same((await admin('GET', path)).body, []);
  t.match((await audit('passkey_deleted'))[0]!.traits, { passkey_id: id, user_id: user.id });
  t.equal((await trySignIn(server, authenticator)).status, 400);
});

t.test('administrators do so with passkeys off, too', async (t) => {
  const server = await openAdminServer(t);
  const user = await signUpUser(server);
  const { rows } = await server.database.admin.query(
    `insert into passkeys (user_id, credential_id, public_key, attestation_format, aaguid, sign_count, backup_eligible,
      backed_up, friendly_name)
    values ($1, 'id', 'key', 'none', gen_random_uuid(), 0, false, false, 'Passkey') returning id`,
    [user.id],
  );
  const path = `/admin/users/${user.id}/passkeys`;
  t.match((await server.admin('GET', path)).body, [{ id: rows[0].id, friendly_name: 'Passkey' }]);
  t.equal((await server.admin('DELETE', `${path}/${rows[0].id}`)).status, 204);
  t.same((await server.admin('GET', path)).body, []);
  t.equal((await server.call('GET', path)).status, 401);
  t.match(await server.call('GET', path, { bearer: user.bearer }), { status: 403, body: { error_code: 'not_admin' } });
});

t.test('the settings say that passkeys are on, and users are shown by their name', async (t) => {
  const server = await openPasskeyServer(t);
  t.equal((await server.call('GET', '/settings')).body.passkeys_enabled, true);
  const email = freshEmail();
  const { body } = await server.post('/signup', { email, password, data: { name: 'Ann Example' } });
  const begun = await beginRegistration(server, { id: body.user.id, email, bearer: body.access_token });
  t.match(begun.body.options.user, { name: email, displayName: 'Ann Example' });
});

t.test('a deleted account leaves no passkey', async (t) => {
  const server = await openPasskeyServer(t);
  for (const body of [{}, { should_soft_delete: true }]) {
    const { user, authenticator } = await registerUser(server);
    t.equal((await server.admin('DELETE', `/admin/users/${user.id}`, body)).status, 200);
    t.equal((await trySignIn(server, authenticator)).body.error_code, 'webauthn_verification_failed');
    const { rows } = await server.database.admin.query('select id from passkeys where user_id = $1', [user.id]);
    t.same(rows, []);
  }
});

t.test('related origins are those of pages', async (t) => {
  const origins = 'https://app.example.com,https://example.de,http://localhost:3000,android:apk-key-hash:abc';
  const { call } = await openPasskeyServer(t, { WEBAUTHN_RP_ORIGINS: origins });
  const { body } = await call('GET', '/.well-known/webauthn');
  t.same(body, { origins: ['https://app.example.com', 'https://example.de'] });
});
