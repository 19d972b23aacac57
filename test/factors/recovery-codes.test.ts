import { claimsOf, codeOf, enrolTotp, type Session, verifyWith } from '../support/authenticator-app.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { openPasskeyServer, registerUser, trySignIn } from '../support/passkeys.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const ON = { MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true', MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true' };

/** A user with an authenticator app, and a session at AAL2. */
async function signUpWithApp(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(server, session);
  const raised = (await verifyWith(server, session, id, codeOf(secret))).body as Session;
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  return { factorId: id, raised, signIn };
}

t.test('recovery codes raise a session once each', async (t) => {
  const server = await openTestServer(t, ON);
  const { call, database } = server;
  const { raised, signIn } = await signUpWithApp(server);
  const bearer = raised.access_token;
  t.match(await call('GET', '/factors/recovery-codes', { bearer }), {
    status: 404,
    body: { error_code: 'mfa_factor_not_found', msg: 'The user has not enrolled recovery codes' },
  });
  const generated = await call('POST', '/factors/recovery-codes', { bearer });
  t.match(generated, { status: 200, body: { type: 'recovery_code', friendly_name: 'Recovery codes', total: 10 } });
  const codes: string[] = generated.body.codes;
  t.equal(new Set(codes).size, 10);
  t.ok(codes.every((code) => /^[a-z2-7]{16}$/.test(code)));
  const stored = await database.admin.query('select code_hash from mfa_recovery_codes');
  t.equal(stored.rows.length, 10);
  t.notOk(
    stored.rows.some(({ code_hash }) => codes.includes(code_hash)),
    'hashed',
  );
  t.match(await call('POST', '/factors/recovery-codes', { bearer }), {
    status: 422,
    body: { error_code: 'mfa_verified_factor_exists' },
  });
  t.match((await call('GET', '/user', { bearer })).body.factors, [
    {},
    { factor_type: 'recovery_code', status: 'verified' },
  ]);

  const low = await signIn();
  const verify = (session: Session, code: string) =>
    call('POST', '/factors/recovery-codes/verify', { bearer: session.access_token, body: { code } });
  const typed = `${codes[0]!.slice(0, 8).toUpperCase()}-${codes[0]!.slice(8)} `;
  const opened = await verify(low, typed);
  t.equal(opened.status, 200);
  t.match(claimsOf(opened.body.access_token), {
    aal: 'aal2',
    amr: [{ method: 'mfa/recovery_code' }, { method: 'password' }],
  });
  const wrong = { status: 422, body: { error_code: 'mfa_verification_failed', msg: 'Invalid recovery code entered' } };
  t.match(await verify(await signIn(), codes[0]!), wrong, 'spent');
  const second = await signIn();
  const answers = await Promise.all(Array.from({ length: 4 }, () => verify(second, codes[1]!)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1, 'one of parallel answers wins');
  t.match((await call('GET', '/factors/recovery-codes', { bearer })).body, { total: 10, remaining: 8 });

  const renewed = await call('POST', '/factors/recovery-codes/regenerate', { bearer });
  t.match(renewed, { status: 200, body: { id: generated.body.id, total: 10 } });
  t.match(await verify(await signIn(), codes[2]!), wrong, 'former codes are dead');
  t.match(await verify(await signIn(), renewed.body.codes[0]), { status: 200 });
  t.match(await call('DELETE', '/factors/recovery-codes', { bearer }), {
    status: 200,
    body: { id: generated.body.id },
  });
  const lowered = await server.post('/token?grant_type=refresh_token', { refresh_token: opened.body.refresh_token });
  t.match(
    claimsOf(lowered.body.access_token),
    { aal: 'aal1', amr: [{ method: 'password' }] },
    'lowered with the codes',
  );
});

t.test('rules of recovery codes', async (t) => {
  const server = await openTestServer(t, { ...ON, MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS: '3' });
  const { call } = server;
  const { factorId, raised, signIn } = await signUpWithApp(server);
  const low = await signIn();
  t.match(await call('POST', '/factors/recovery-codes', { bearer: low.access_token }), {
    status: 403,
    body: { error_code: 'insufficient_aal', msg: 'AAL2 required to generate recovery codes' },
  });
  const bearer = raised.access_token;
  const { body } = await call('POST', '/factors/recovery-codes', { bearer, body: { friendly_name: 'paper' } });
  t.equal(body.friendly_name, 'paper');
  t.match(await call('DELETE', `/factors/${factorId}`, { bearer }), {
    status: 422,
    body: { error_code: 'mfa_recovery_codes_sole_factor' },
  });
  t.match(await call('DELETE', `/factors/${body.id}`, { bearer }), {
    status: 422,
    body: { error_code: 'validation_failed', msg: /use DELETE \/factors\/recovery-codes/ },
  });
  const verify = (code: string) =>
    call('POST', '/factors/recovery-codes/verify', { bearer: low.access_token, body: { code } });
  const answers = await Promise.all(Array.from({ length: 12 }, () => verify('aaaaaaaaaaaaaaaa')));
  t.equal(answers.filter(({ status }) => status === 422).length, 3, 'three are compared');
  const locked = await verify(body.codes[0]);
  t.match(locked, { status: 429, body: { error_code: 'mfa_recovery_codes_locked' } });
  t.ok(Number(locked.headers.get('retry-after')) > 800, 'a quarter of an hour');
  t.equal((await call('POST', '/factors/recovery-codes/regenerate', { bearer })).status, 200, 'ends the lock');
  t.match(await verify(body.codes[0]), { status: 422 });
});

t.test('switched off', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { raised } = await signUpWithApp(server);
  const bearer = raised.access_token;
  t.match(await call('POST', '/factors/recovery-codes', { bearer }), {
    status: 422,
    body: { error_code: 'mfa_recovery_codes_enroll_not_enabled' },
  });
  t.match(await call('POST', '/factors/recovery-codes/verify', { bearer, body: { code: 'a' } }), {
    status: 422,
    body: { error_code: 'mfa_recovery_codes_verify_not_enabled' },
  });
});

t.test('generating needs AAL2, also without a second factor, and another factor', async (t) => {
  const server = await openPasskeyServer(t, { ...ON, PASSKEY_AAL2_WITH_USER_VERIFICATION: 'true' });
  const { call } = server;
  const { user, authenticator } = await registerUser(server);
  const generate = (bearer: string) => call('POST', '/factors/recovery-codes', { bearer });
  t.match(await generate(user.bearer), {
    status: 403,
    body: { error_code: 'insufficient_aal', msg: 'AAL2 required to generate recovery codes' },
  });
  const raised = (await trySignIn(server, authenticator, { flags: { uv: true } })).body;
  t.equal(claimsOf(raised.access_token)['aal'], 'aal2');
  t.match(await generate(raised.access_token), {
    status: 422,
    body: {
      error_code: 'mfa_recovery_codes_sole_factor',
      msg: 'At least one other verified factor is required to generate recovery codes',
    },
  });
});

t.test('a name that is taken, and the maximum', async (t) => {
  const server = await openTestServer(t, { ...ON, MFA_MAX_VERIFIED_FACTORS: '1' });
  const { raised } = await signUpWithApp(server);
  const generate = (friendly_name: string) =>
    server.call('POST', '/factors/recovery-codes', { bearer: raised.access_token, body: { friendly_name } });
  t.match(await generate('phone app'), { status: 422, body: { error_code: 'mfa_factor_name_conflict' } });
  t.match(await generate('paper'), { status: 422, body: { error_code: 'too_many_enrolled_mfa_factors' } });
});

t.test('of parallel requests one generates a set', async (t) => {
  const server = await openTestServer(t, ON);
  const { raised } = await signUpWithApp(server);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => server.call('POST', '/factors/recovery-codes', { bearer: raised.access_token })),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, 422, 422, 422, 422, 422]);
});

t.test('the hook mfa_verification_attempt decides about recovery codes, too', async (t) => {
  const receiver = await openHookReceiver(t, () => ({ decision: 'continue' }));
  const server = await openTestServer(t, { ...ON, ...hookSettingsOf('MFA_VERIFICATION_ATTEMPT', receiver.url) });
  const { raised, signIn } = await signUpWithApp(server);
  const { body } = await server.call('POST', '/factors/recovery-codes', { bearer: raised.access_token });
  const low = await signIn();
  const verify = ({ access_token: bearer }: Session, code: string) =>
    server.call('POST', '/factors/recovery-codes/verify', { bearer, body: { code } });
  receiver.answer = () => ({ decision: 'reject' });
  t.match(await verify(low, body.codes[0]), { status: 403, body: { error_code: 'mfa_verification_rejected' } });
  t.match(receiver.calls.at(-1)!.body, { factor_id: body.id, factor_type: 'recovery_code', valid: true });
  receiver.answer = () => ({ decision: 'continue' });
  t.equal((await verify(await signIn(), body.codes[0])).status, 200, 'a rejection spends no code');
});

t.test('switched off, the body is not even read', async (t) => {
  const server = await openTestServer(t);
  const { raised } = await signUpWithApp(server);
  const answer = await server.call('POST', '/factors/recovery-codes', { bearer: raised.access_token, body: [] });
  t.match(answer, { status: 422, body: { error_code: 'mfa_recovery_codes_enroll_not_enabled' } });
});
