import { claimsOf, codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, JWT_SECRET, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

async function signUp(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  return { email, session, signIn };
}

t.test('an authenticator app raises a session to AAL2', async (t) => {
  const server = await openTestServer(t);
  const { call, post } = server;
  const { session, signIn } = await signUp(server);
  const other = await signIn();
  t.match(claimsOf(session.access_token), { aal: 'aal1', amr: [{ method: 'password' }] });

  const { status, body, id, secret } = await enrolTotp(server, session);
  t.equal(status, 200);
  t.match(body, {
    id: /^[0-9a-f-]{36}$/,
    type: 'totp',
    friendly_name: 'phone app',
    totp: { secret: /^[A-Z2-7]{32}$/ },
  });
  t.match(body.totp.uri, /^otpauth:\/\/totp\//);
  t.match(body.totp.qr_code, /^<svg|^<\?xml/);

  const listed = await call('GET', '/user', { bearer: session.access_token });
  t.match(listed.body.factors, [
    { id, status: 'unverified', factor_type: 'totp', phone: '', last_challenged_at: null },
  ]);
  t.notOk(JSON.stringify(listed.body).includes(secret), 'the secret is shown once');
  const stored = await server.database.admin.query('select to_jsonb(f) as factor from mfa_factors f');
  t.notOk(JSON.stringify(stored.rows).includes(secret), 'and stored sealed');

  const askedSeconds = Math.floor(Date.now() / 1000);
  const challenge = await call('POST', `/factors/${id}/challenge`, { bearer: session.access_token });
  t.match(challenge, { status: 200, body: { type: 'totp' } });
  const validSince = challenge.body.expires_at - 300;
  t.ok(validSince >= askedSeconds && validSince <= Math.ceil(Date.now() / 1000), 'five minutes');
  const answer = { challenge_id: challenge.body.id, code: codeOf(secret) };
  const verified = await call('POST', `/factors/${id}/verify`, { bearer: session.access_token, body: answer });
  t.equal(verified.status, 200);
  t.match(claimsOf(verified.body.access_token), {
    aal: 'aal2',
    amr: [{ method: 'totp' }, { method: 'password' }],
    session_id: claimsOf(session.access_token)['session_id'],
  });
  t.match(verified.body.user.factors, [
    { id, status: 'verified', friendly_name: 'phone app', last_challenged_at: /^2/ },
  ]);
  t.match((await call('GET', '/user', { bearer: verified.body.access_token })).body.factors, [
    { id, status: 'verified' },
  ]);

  const refreshed = await post('/token?grant_type=refresh_token', { refresh_token: verified.body.refresh_token });
  t.match(claimsOf(refreshed.body.access_token), { aal: 'aal2', amr: [{ method: 'totp' }, { method: 'password' }] });
  t.match(refreshed.body.user.factors, [{ id, status: 'verified' }]);
  t.match(
    await post('/token?grant_type=refresh_token', { refresh_token: other.refresh_token }),
    { status: 400 },
    'sessions below AAL2 end',
  );

  const removed = await call('DELETE', `/factors/${id}`, { bearer: refreshed.body.access_token });
  t.same([removed.status, removed.body], [200, { id }]);
  const lowered = await post('/token?grant_type=refresh_token', { refresh_token: refreshed.body.refresh_token });
  t.match(claimsOf(lowered.body.access_token), { aal: 'aal1', amr: [{ method: 'password' }] });
  t.equal(lowered.body.user.factors, undefined);
});

t.test('a code counts once', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { session, signIn } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  const first = app.nextCode();
  t.equal((await verifyWith(server, session, id, first)).status, 200);
  const wrong = { status: 422, body: { error_code: 'mfa_verification_failed', msg: 'Invalid TOTP code entered' } };
  const second = await signIn();
  t.match(await verifyWith(server, second, id, first), wrong, 'not from another session');
  const third = app.nextCode();
  t.equal((await verifyWith(server, second, id, third)).status, 200);
  t.match(await verifyWith(server, await signIn(), id, first), wrong, 'nor an earlier one');

  const bearer = (await signIn()).access_token;
  const challenge = await call('POST', `/factors/${id}/challenge`, { bearer });
  const body = { challenge_id: challenge.body.id, code: app.nextCode() };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', `/factors/${id}/verify`, { bearer, body })),
  );
  t.equal(answers.filter(({ status }) => status === 200).length, 1, 'one of eight parallel answers wins');
  t.same(new Set(answers.map(({ status }) => status)), new Set([200, 422]));
});

t.test('of parallel answers with one code, each to a challenge of its own, one wins', async (t) => {
  const server = await openTestServer(t);
  const { session, signIn } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  t.equal((await verifyWith(server, session, id, app.nextCode())).status, 200);
  const sessions = await Promise.all(Array.from({ length: 6 }, signIn));
  const code = app.nextCode();
  const answers = await Promise.all(sessions.map((one) => verifyWith(server, one, id, code)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  // The winner ends the others, which are below AAL2.
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    t.ok(status === 422 || body.error_code === 'session_not_found', JSON.stringify(body));
  }
});

t.test('wrong tries', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { session } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const bearer = session.access_token;
  const challenge = await call('POST', `/factors/${id}/challenge`, { bearer });
  const attempt = (code: string) =>
    call('POST', `/factors/${id}/verify`, { bearer, body: { challenge_id: challenge.body.id, code } });
  const answers = await Promise.all(Array.from({ length: 40 }, () => attempt('000000')));
  t.equal(answers.filter(({ body }) => body.error_code === 'mfa_verification_failed').length, 10, 'ten are checked');
  const right = await attempt(codeOf(secret));
  t.not(right.status, 200, 'then not even the right code counts');
  // The first delay is a second, which a busy machine may need for the next request.
  await server.database.admin.query(
    "update rate_counters set updated_at = now() + interval '1 minute' where name = 'factor_tries'",
  );
  const delayed = await verifyWith(server, session, id, codeOf(secret));
  t.match(delayed, { status: 429, body: { error_code: 'over_request_rate_limit' } });
  t.ok(Number(delayed.headers.get('retry-after')) >= 1);
});

t.test('refresh tokens from before', async (t) => {
  const server = await openTestServer(t);
  const { post } = server;
  const { session } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const verified = await verifyWith(server, session, id, codeOf(secret));
  const old = await post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
  t.match(old, { status: 400, body: { error_code: 'refresh_token_already_used' } });
  const next = await post('/token?grant_type=refresh_token', { refresh_token: verified.body.refresh_token });
  t.equal(next.status, 200, 'the family lives on');
});

t.test('challenges belong to their session, and to their factor', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { session, signIn } = await signUp(server);
  const second = await signIn();
  const { id, secret } = await enrolTotp(server, session);
  const { id: another } = await enrolTotp(server, session, { friendly_name: 'another' });
  const challenge = await call('POST', `/factors/${id}/challenge`, { bearer: second.access_token });
  const body = { challenge_id: challenge.body.id, code: codeOf(secret) };
  const notFound = { status: 422, body: { error_code: 'mfa_factor_not_found' } };
  t.match(await call('POST', `/factors/${id}/verify`, { bearer: session.access_token, body }), notFound);
  t.match(await call('POST', `/factors/${another}/verify`, { bearer: second.access_token, body }), notFound);
  t.match(await call('POST', `/factors/${id}/verify`, { bearer: second.access_token, body: { code: '1' } }), notFound);
  const stranger = (await signUp(server)).session;
  t.match(await call('POST', `/factors/${id}/challenge`, { bearer: stranger.access_token }), {
    status: 404,
    body: { error_code: 'mfa_factor_not_found' },
  });
  t.match(await call('DELETE', '/factors/nonsense', { bearer: stranger.access_token }), {
    status: 404,
    body: { error_code: 'validation_failed', msg: 'factor_id must be an UUID' },
  });
});

t.test('a factor that was begun earlier raises nothing', async (t) => {
  const server = await openTestServer(t);
  const { session: thief, signIn } = await signUp(server);
  const begun = await enrolTotp(server, thief, { friendly_name: 'of the thief' });
  const owner = await signIn();
  const own = await enrolTotp(server, owner);
  t.equal((await verifyWith(server, owner, own.id, codeOf(own.secret))).status, 200);
  const again = await signIn();
  t.match(await verifyWith(server, again, begun.id, codeOf(begun.secret)), { status: 404 }, 'it is gone');
  t.match(await enrolTotp(server, again, { friendly_name: 'later' }), {
    status: 403,
    body: { error_code: 'insufficient_aal', msg: 'AAL2 required to enroll a new factor' },
  });
});

t.test('what AAL2 guards', async (t) => {
  const server = await openTestServer(t, { SECURITY_MANUAL_LINKING_ENABLED: 'true' });
  const { call } = server;
  const { session, signIn } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const verified = (await verifyWith(server, session, id, codeOf(secret))).body as Session;
  const low = await signIn();
  const put = (bearer: string, body: object) => call('PUT', '/user', { bearer, body });
  const refused = { status: 401, body: { error_code: 'insufficient_aal' } };
  t.match(await put(low.access_token, { password: 'another correct horse' }), refused);
  t.match(await put(low.access_token, { email: freshEmail() }), refused);
  t.match(await put(low.access_token, { data: { colour: 'blue' } }), { status: 200 });
  t.match(await put(low.access_token, { email: session.user.email }), { status: 200 }, 'unchanged');
  t.match(await put(low.access_token, { email: 'nonsense' }), { status: 400 }, 'validation comes first');
  t.match(await put(low.access_token, { password: 'short' }), { status: 422, body: { error_code: 'weak_password' } });
  t.match(await put(low.access_token, { email: freshEmail(), app_metadata: {} }), {
    body: { error_code: 'not_admin' },
  });
  const claims = { sub: session.user.id, aud: 'authenticated', role: 'authenticated' };
  const sessionless = signTestToken(claims, JWT_SECRET);
  t.match(await put(sessionless, { password: 'another correct horse' }), refused, 'a token without a session');
  t.match(await call('DELETE', `/factors/${id}`, { bearer: low.access_token }), {
    status: 422,
    body: { error_code: 'insufficient_aal' },
  });
  t.match(await put(verified.access_token, { password: 'another correct horse' }), { status: 200 });
});

t.test('limits of enrolment', async (t) => {
  const server = await openTestServer(t, { MFA_MAX_ENROLLED_FACTORS: '3' });
  const { session } = await signUp(server);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => enrolTotp(server, session, { friendly_name: `app ${n}` })),
  );
  t.equal(answers.filter(({ status }) => status === 200).length, 3, 'also in parallel');
  t.match(
    answers.find(({ status }) => status !== 200),
    {
      status: 422,
      body: { error_code: 'too_many_enrolled_mfa_factors' },
    },
  );
  t.match(
    await enrolTotp(server, session, { friendly_name: answers.find((a) => a.status === 200)?.body.friendly_name }),
    {
      status: 422,
      body: { error_code: 'mfa_factor_name_conflict', msg: /^A factor with the friendly name "app \d" for this user/ },
    },
  );
  t.match(await enrolTotp(server, session, { factor_type: 'TOTP' }), {
    status: 400,
    body: { error_code: 'validation_failed', msg: 'factor_type needs to be totp, phone, or webauthn' },
  });
  t.match(await enrolTotp(server, session, { factor_type: 'phone' }), {
    status: 422,
    body: { error_code: 'mfa_phone_enroll_not_enabled' },
  });
});
