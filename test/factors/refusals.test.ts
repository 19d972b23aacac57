import { randomUUID } from 'node:crypto';
import { adminToken } from '../support/admin.js';
import { claimsOf, codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, JWT_SECRET, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

/** Status, error code and message of an answer. */
type Refusal = readonly [status: number, code: string, message: string | RegExp];

const signUp = async ({ post }: TestServer) =>
  (await post('/signup', { email: freshEmail(), password })).body as Session;

const sessionEnded: Refusal = [403, 'session_not_found', 'Session from session_id claim in JWT does not exist'];
const noFactor: Refusal = [404, 'mfa_factor_not_found', 'Factor not found'];

/** Every call of a factor. */
const callsOf = (id: string): readonly [method: string, path: string, body?: object][] => [
  ['POST', '/factors', { factor_type: 'totp', friendly_name: 'mine' }],
  ['POST', `/factors/${id}/challenge`],
  ['POST', `/factors/${id}/verify`, { challenge_id: randomUUID(), code: '123456' }],
  ['DELETE', `/factors/${id}`],
  ['GET', '/factors/recovery-codes'],
  ['POST', '/factors/recovery-codes'],
  ['POST', '/factors/recovery-codes/regenerate'],
  ['POST', '/factors/recovery-codes/verify', { code: 'abc' }],
  ['DELETE', '/factors/recovery-codes'],
];

t.test('who may call', async (t) => {
  const server = await openTestServer(t, { EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' });
  const { call, post } = server;
  const { user } = await signUp(server);
  const ended = await signUp(server);
  await call('POST', '/logout', { bearer: ended.access_token });
  const banned = await signUp(server);
  await call('PUT', `/admin/users/${banned.user.id}`, { bearer: adminToken(), body: { ban_duration: '1h' } });
  const anonymous = (await post('/signup', {})).body as Session;
  const sessionless = signTestToken({ sub: user.id, aud: 'authenticated', role: 'authenticated' }, JWT_SECRET);
  const unknown = signTestToken({ sub: randomUUID(), aud: 'authenticated', role: 'authenticated' }, JWT_SECRET);
  const callers: readonly [name: string, bearer: string | undefined, expected: Refusal][] = [
    ['no token', undefined, [401, 'no_authorization', 'This endpoint requires a valid Bearer token']],
    ['a false token', 'nonsense', [403, 'bad_jwt', /^invalid JWT: /]],
    ['an unknown user', unknown, [403, 'user_not_found', 'User from sub claim in JWT does not exist']],
    ['a banned user', banned.access_token, [403, 'user_banned', 'User is banned']],
    ['an ended session', ended.access_token, sessionEnded],
    ['a token without session', sessionless, sessionEnded],
    [
      'an anonymous user',
      anonymous.access_token,
      [403, 'no_authorization', 'Anonymous user not allowed to perform these actions'],
    ],
  ];
  for (const [name, bearer, [status, error_code, msg]] of callers) {
    // The caller is refused before the factor is looked up.
    for (const [method, path, body] of callsOf('nonsense')) {
      const answer = await call(method, path, { bearer, ...(body && { body }) });
      t.match(answer, { status, body: { error_code, msg } }, `${name}: ${method} ${path}`);
    }
  }
});

t.test('paths and methods', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { access_token: bearer } = await signUp(server);
  const { status, body } = await call('POST', '/factors/', { bearer, body: { factor_type: 'totp' } });
  t.equal(status, 200, 'with a slash at the end');
  t.notOk('friendly_name' in body, 'an empty name is left out');
  t.equal((await call('POST', `/factors/${body.id}/challenge/`, { bearer })).status, 200);
  t.equal((await call('POST', `/factors/${body.id.toUpperCase()}/challenge`, { bearer })).status, 200);
  for (const [method, path, allow] of [
    ['GET', '/factors', 'POST'],
    ['GET', `/factors/${body.id}/challenge`, 'POST'],
    ['PUT', `/factors/${body.id}/verify`, 'POST'],
    ['GET', `/factors/${body.id}`, 'DELETE'],
  ] as const) {
    const answer = await call(method, path, { bearer });
    t.equal(answer.status, 405, `${method} ${path}`);
    t.match(answer.headers.get('allow'), allow);
  }
});

t.test('which factor', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { access_token: bearer } = await signUp(server);
  const { id: foreign } = await enrolTotp(server, await signUp(server));
  for (const [id, [status, error_code, msg]] of [
    ['nonsense', [404, 'validation_failed', 'factor_id must be an UUID']],
    [randomUUID(), noFactor],
    [foreign, noFactor],
  ] as readonly [string, Refusal][]) {
    for (const [method, path, body] of callsOf(id).slice(1, 4)) {
      t.match(await call(method, path, { bearer, ...(body && { body }) }), { status, body: { error_code, msg } }, path);
    }
  }
});

t.test('enrolment', async (t) => {
  const server = await openTestServer(t, { MFA_MAX_ENROLLED_FACTORS: '2' });
  const { call } = server;
  const session = await signUp(server);
  const enrol = (body: object, bearer = session.access_token) => call('POST', '/factors', { bearer, body });
  const refusals = async (cases: readonly [body: object, expected: Refusal][], bearer?: string) => {
    for (const [body, [status, error_code, msg]] of cases) {
      t.match(await enrol(body, bearer), { status, body: { error_code, msg } }, JSON.stringify(body));
    }
  };
  const badJson: Refusal = [400, 'bad_json', /^Could not parse request body as JSON: /];
  const unknownType: Refusal = [400, 'validation_failed', 'factor_type needs to be totp, phone, or webauthn'];
  await refusals([
    [{ factor_type: 1 }, badJson],
    [{ factor_type: 'totp', friendly_name: {} }, badJson],
    [[], badJson],
    [{}, unknownType],
    [{ factor_type: 'TOTP' }, unknownType],
    [{ factor_type: 'recovery_code' }, unknownType],
    [{ factor_type: 'phone' }, [422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone']],
    [{ factor_type: 'webauthn' }, [422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn']],
  ]);
  const taken = (name: string): Refusal => [
    ...([422, 'mfa_factor_name_conflict'] as const),
    `A factor with the friendly name ${name} for this user already exists`,
  ];
  const full: Refusal = [
    ...([422, 'too_many_enrolled_mfa_factors'] as const),
    'Maximum number of verified factors reached, unenroll to continue',
  ];
  t.equal((await enrol({ factor_type: 'totp', unknown: true })).status, 200, 'other fields are ignored');
  await refusals([[{ factor_type: 'totp', friendly_name: '' }, taken('""')]]);
  const { id, secret } = await enrolTotp(server, session, { friendly_name: 'say "x"' });
  await refusals([
    [{ factor_type: 'totp', friendly_name: 'say "x"' }, taken('"say \\"x\\""')],
    [{ factor_type: 'totp', friendly_name: 'third' }, full],
  ]);
  // The name is looked at before the maximum, and both before the level of the session.
  const { email } = session.user;
  t.equal((await verifyWith(server, session, id, codeOf(secret))).status, 200);
  const low = (await server.post('/token?grant_type=password', { email, password })).body as Session;
  const needed: Refusal = [403, 'insufficient_aal', 'AAL2 required to enroll a new factor'];
  await refusals(
    [
      [{ factor_type: 'totp', friendly_name: 'say "x"' }, taken('"say \\"x\\""')],
      [{ factor_type: 'totp', friendly_name: 'third' }, needed],
    ],
    low.access_token,
  );
});

t.test('of parallel requests with one name one enrols', async (t) => {
  const server = await openTestServer(t);
  const session = await signUp(server);
  const answers = await Promise.all(Array.from({ length: 8 }, () => enrolTotp(server, session)));
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 422)]);
  for (const { body } of answers.filter(({ status }) => status !== 200)) {
    t.equal(body.error_code, 'mfa_factor_name_conflict');
  }
});

t.test('users of single sign-on have factors', async (t) => {
  const server = await openTestServer(t);
  const session = await signUp(server);
  await server.database.admin.query('update users set is_sso_user = true where id = $1', [session.user.id]);
  t.equal((await enrolTotp(server, session)).status, 200);
});

t.test('the challenge of an authenticator app needs no body, not even JSON', async (t) => {
  const server = await openTestServer(t, { MFA_PHONE_ENROLL_ENABLED: 'true', MFA_PHONE_VERIFY_ENABLED: 'true' });
  const session = await signUp(server);
  const bearer = session.access_token;
  const open = (factorId: string, body?: string) =>
    fetch(`${server.url}/factors/${factorId}/challenge`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}` },
      ...(body !== undefined && { body }),
    });
  const { id } = await enrolTotp(server, session);
  for (const body of [undefined, '{}', '[]', 'channel=sms', '{"channel":1}']) {
    t.equal((await open(id, body)).status, 200, `${body}`);
  }
  const phone = { factor_type: 'phone', phone: '+15555550100', friendly_name: 'phone' };
  const enrolled = await server.call('POST', '/factors', { bearer, body: phone });
  for (const body of ['[]', 'channel=sms', '{"channel":1}']) {
    t.equal((await open(enrolled.body.id, body)).status, 400, body);
  }
});

t.test('switched off', async (t) => {
  const server = await openTestServer(t, { MFA_TOTP_ENROLL_ENABLED: 'false' });
  const session = await signUp(server);
  t.match(await enrolTotp(server, session), {
    status: 422,
    body: { error_code: 'mfa_totp_enroll_not_enabled', msg: 'MFA enroll is disabled for TOTP' },
  });
  const verifying = await openTestServer(t, { MFA_TOTP_VERIFY_ENABLED: 'false' });
  const other = await signUp(verifying);
  const { id } = await enrolTotp(verifying, other);
  const off = { error_code: 'mfa_totp_verify_not_enabled', msg: 'MFA verification is disabled for TOTP' };
  const bearer = other.access_token;
  t.match(await verifying.call('POST', `/factors/${id}/challenge`, { bearer }), { status: 422, body: off });
  const body = { challenge_id: randomUUID(), code: '123456' };
  t.match(await verifying.call('POST', `/factors/${id}/verify`, { bearer, body }), { status: 422, body: off });
});

t.test('verification', async (t) => {
  const server = await openTestServer(t, { SECURITY_SB_FORWARDED_FOR_ENABLED: 'true' });
  const { call, database } = server;
  const session = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const bearer = session.access_token;
  const at = (address?: string) => (address === undefined ? {} : { headers: { 'sb-forwarded-for': address } });
  const challenge = async (address?: string): Promise<string> =>
    (await call('POST', `/factors/${id}/challenge`, { bearer, ...at(address) })).body.id;
  const age = (challengeId: string) =>
    database.admin.query(`update mfa_challenges set created_at = created_at - interval '301 s' where id = $1`, [
      challengeId,
    ]);
  const verify = (body: object, address?: string) =>
    call('POST', `/factors/${id}/verify`, { bearer, body, ...at(address) });
  const badJson: Refusal = [400, 'bad_json', /^Could not parse request body as JSON: /];
  const empty: Refusal = [400, 'validation_failed', 'Code needs to be non-empty'];
  const missing: Refusal = [422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found'];
  const elsewhere: Refusal = [422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'];
  const [opened, old, here] = [await challenge(), await challenge(), await challenge('192.0.2.1')];
  const oldHere = await challenge('192.0.2.1');
  for (const one of [old, oldHere]) await age(one);
  const expired = (one: string): Refusal => [
    ...([422, 'mfa_challenge_expired'] as const),
    `MFA challenge ${one} has expired, verify against another challenge or create a new challenge.`,
  ];
  const code = '000000';
  const cases: readonly [body: object, expected: Refusal, address?: string][] = [
    [{ challenge_id: 1, code }, badJson],
    [{ challenge_id: opened, code: 123456 }, badJson],
    [{ challenge_id: 'nonsense', code }, badJson],
    [{ challenge_id: 'nonsense', code: '' }, badJson],
    [{ challenge_id: opened }, empty],
    [{ challenge_id: opened, code: '' }, empty],
    [{ code }, missing],
    [{ challenge_id: randomUUID(), code }, missing],
    [{ challenge_id: old, code }, expired(old)],
    [{ challenge_id: oldHere, code }, elsewhere, '192.0.3.1'],
    [{ challenge_id: here, code: codeOf(secret) }, elsewhere, '192.0.3.1'],
    [{ challenge_id: here, code: codeOf(secret) }, elsewhere, '2001:db8::1'],
    [{ challenge_id: here, code }, [422, 'mfa_verification_failed', 'Invalid TOTP code entered'], '192.0.2.254'],
  ];
  for (const [body, [status, error_code, msg], address] of cases) {
    t.match(await verify(body, address), { status, body: { error_code, msg } }, JSON.stringify([body, address]));
  }
  const six = await challenge('2001:db8:0:1::1');
  const answer = { challenge_id: six, code: codeOf(secret) };
  t.match(await verify(answer, '2001:db8:0:2::1'), { status: 422, body: { error_code: 'mfa_ip_address_mismatch' } });
  const verified = await verify(answer, '2001:db8:0:1:ffff::1');
  t.equal(verified.status, 200, 'in the same /64');
  t.notOk(verified.headers.has('sb-auth-user-id'));
  t.match(await verify(answer, '2001:db8:0:1::1'), {
    status: 422,
    body: {
      error_code: 'mfa_challenge_expired',
      msg: `MFA challenge ${six} has been used, verify against another challenge or create a new challenge.`,
    },
  });
  t.equal(claimsOf(verified.body.access_token)['session_id'], claimsOf(bearer)['session_id']);
});

t.test('MFA_CHALLENGE_CHECK_ADDRESS off: servers answer for their users', async (t) => {
  const server = await openTestServer(t, {
    SECURITY_SB_FORWARDED_FOR_ENABLED: 'true',
    MFA_CHALLENGE_CHECK_ADDRESS: 'false',
  });
  const { call } = server;
  const session = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const bearer = session.access_token;
  const from = (address: string) => ({ bearer, headers: { 'sb-forwarded-for': address } });
  const challenge = await call('POST', `/factors/${id}/challenge`, from('192.0.2.1'));
  const body = { challenge_id: challenge.body.id, code: codeOf(secret) };
  t.equal((await call('POST', `/factors/${id}/verify`, { ...from('2001:db8::1'), body })).status, 200);
});

t.test('abandoned factors make room, those that were tried do not', async (t) => {
  const server = await openTestServer(t, { MFA_FACTOR_EXPIRY_DURATION: '300s' });
  const { call, database } = server;
  const session = await signUp(server);
  const abandoned = await enrolTotp(server, session, { friendly_name: 'abandoned' });
  const tried = await enrolTotp(server, session, { friendly_name: 'tried' });
  await call('POST', `/factors/${tried.id}/challenge`, { bearer: session.access_token });
  const again = () =>
    Promise.all(['abandoned', 'tried'].map((friendly_name) => enrolTotp(server, session, { friendly_name })));
  t.same(
    (await again()).map(({ status }) => status),
    [422, 422],
    'young ones stay',
  );
  await database.admin.query(`update mfa_factors set created_at = created_at - interval '301 s'`);
  t.same(
    (await again()).map(({ status }) => status),
    [200, 422],
  );
  const { body } = await call('GET', '/user', { bearer: session.access_token });
  const ids: string[] = body.factors.map(({ id }: { id: string }) => id);
  t.ok(ids.includes(tried.id) && !ids.includes(abandoned.id));
});

t.test('MFA_REPLACE_UNVERIFIED_FACTORS: a page that is loaded again replaces its factor', async (t) => {
  const server = await openTestServer(t, { MFA_REPLACE_UNVERIFIED_FACTORS: 'true', MFA_MAX_ENROLLED_FACTORS: '2' });
  const session = await signUp(server);
  const first = await enrolTotp(server, session);
  const other = await enrolTotp(server, session, { friendly_name: 'other' });
  const second = await enrolTotp(server, session);
  t.equal(second.status, 200, 'also at the maximum');
  const listed = async () =>
    (await server.call('GET', '/user', { bearer: session.access_token })).body.factors.map(
      ({ id }: { id: string }) => id,
    );
  t.same(await listed(), [other.id, second.id]);
  t.equal((await verifyWith(server, session, first.id, codeOf(first.secret))).status, 404);
  const raised = (await verifyWith(server, session, second.id, openApp(second.secret).nextCode())).body as Session;
  t.match(
    await enrolTotp(server, raised),
    { status: 422, body: { error_code: 'mfa_factor_name_conflict' } },
    'a verified one stays',
  );
});

t.test('removal', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const session = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  const raised = (await verifyWith(server, session, id, app.nextCode())).body as Session;
  const begun = await enrolTotp(server, raised, { friendly_name: 'begun' });
  const { email } = session.user;
  const low = (await server.post('/token?grant_type=password', { email, password })).body as Session;
  const remove = ({ access_token: bearer }: Session, factorId: string) =>
    call('DELETE', `/factors/${factorId}`, { bearer });
  t.match(await remove(low, id), {
    status: 422,
    body: { error_code: 'insufficient_aal', msg: 'AAL2 required to unenroll verified factor' },
  });
  t.match(await remove(low, begun.id), { status: 200, body: { id: begun.id } }, 'an unverified one guards nothing');
  t.match(await remove(raised, id), { status: 200, body: { id } });
  t.match(await remove(raised, id), { status: 404, body: { error_code: 'mfa_factor_not_found' } });
  const put = await call('PUT', '/user', { bearer: raised.access_token, body: { password: 'another correct horse' } });
  t.equal(put.status, 200, 'without factors no level is asked for');
});

t.test('an administrator changes factors', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const session = await signUp(server);
  const { id } = await enrolTotp(server, session, { friendly_name: 'one' });
  await enrolTotp(server, session, { friendly_name: 'two' });
  const path = `/admin/users/${session.user.id}/factors/${id}`;
  const put = (body: object) => call('PUT', path, { bearer: adminToken(), body });
  t.match(await put({ friendly_name: 'two' }), { status: 422, body: { error_code: 'mfa_factor_name_conflict' } });
  t.match(await put({ friendly_name: '', phone: '+15555550100' }), {
    status: 200,
    body: { friendly_name: 'one', phone: '' },
  });
  t.match(await put({ friendly_name: 'three' }), { status: 200, body: { id, friendly_name: 'three' } });
  t.match((await call('GET', '/user', { bearer: session.access_token })).body.factors, [
    { friendly_name: 'three' },
    {},
  ]);
});
