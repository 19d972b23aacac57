import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin, openAdminServer } from '../support/admin.js';
import { claimsOf, codeOf, enrolTotp, type Session, verifyWith } from '../support/authenticator-app.js';
import { everyFeature } from '../support/every-feature.js';
import { type HookCall, hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const MISSING = { status: 403, body: { error_code: 'mfa_required' } };
const everything = {
  ...everyFeature,
  SECURITY_MANUAL_LINKING_ENABLED: 'true',
  MFA_RECOVERY_CODES_ENROLL_ENABLED: 'true',
  MFA_RECOVERY_CODES_VERIFY_ENABLED: 'true',
  MFA_TRUSTED_DEVICE_ENABLED: 'true',
  MFA_TOTP_SKEW: '3',
};

async function signUp({ post, call }: TestServer) {
  const email = freshEmail();
  const session = (await post('/signup', { email, password })).body as Session;
  const signIn = async () => (await post('/token?grant_type=password', { email, password })).body as Session;
  const refresh = async ({ refresh_token }: Session) =>
    (await post('/token?grant_type=refresh_token', { refresh_token })).body as Session;
  const rename = ({ access_token: bearer }: Session) => call('PUT', '/user', { bearer, body: { data: { a: 1 } } });
  return { id: session.user.id as string, session, signIn, refresh, rename };
}

const roleOf = ({ access_token }: Session) => claimsOf(access_token)['role'];

async function raise(server: TestServer, session: Session) {
  const { id, secret } = await enrolTotp(server, session);
  const { body } = await verifyWith(server, session, id, codeOf(secret, -1));
  return { raised: body as Session, factorId: id, secret };
}

t.test('MFA_REQUIRED=all', async (t) => {
  const server = await openTestServer(t, {
    ...everything,
    MFA_REQUIRED: 'all',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  const { call, post } = server;
  t.match(await call('GET', '/settings'), { body: { mfa_required: true } });
  const { session, signIn, refresh } = await signUp(server);
  t.match(claimsOf(session.access_token), { role: 'mfa_pending', aal: 'aal1' });

  const asked = async (bearer: string) => {
    const answered: string[] = [];
    // The last one ends the session.
    const ofUsers = endpoints.filter(({ caller }) => caller === 'user');
    for (const { id, method, path } of ofUsers.sort(
      (a, b) => Number(a.id === 'signOut') - Number(b.id === 'signOut'),
    )) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const answer = await call(method, path.replace(/\{\w+\}/g, session.user.id), { bearer, ...body });
      if (answer.body?.error_code !== 'mfa_required') answered.push(id);
      else t.equal(answer.status, 403);
    }
    return answered.sort();
  };
  const allowed = [
    ...['getUser', 'signOut', 'enrollFactor', 'challengeFactor', 'verifyFactor', 'unenrollFactor'],
    ...['getRecoveryCodes', 'generateRecoveryCodes', 'regenerateRecoveryCodes', 'verifyRecoveryCode'],
    ...['deleteRecoveryCodes'],
  ].sort();
  t.same(await asked(session.access_token), allowed, 'without a factor');

  const again = await refresh(await signIn());
  t.equal(roleOf(again), 'mfa_pending', 'a refresh does not change it');
  const { raised, factorId, secret } = await raise(server, again);
  t.match(claimsOf(raised.access_token), { role: 'authenticated', aal: 'aal2' });
  t.equal(raised.user.role, 'authenticated');
  t.equal(roleOf(await refresh(raised)), 'authenticated');
  t.equal((await call('PUT', '/user', { bearer: raised.access_token, body: { data: { a: 1 } } })).status, 200);
  const low = await signIn();
  t.equal(roleOf(low), 'mfa_pending');
  t.same(await asked(low.access_token), allowed, 'with one that this session has not verified');

  const { body: second } = await verifyWith(server, await signIn(), factorId, codeOf(secret));
  t.equal((await call('DELETE', `/factors/${factorId}`, { bearer: second.access_token })).status, 200);
  const lowered = await refresh(second);
  t.match(
    claimsOf(lowered.access_token),
    { role: 'mfa_pending', aal: 'aal1' },
    'who removes the factor is asked again',
  );

  const anonymous = (await post('/signup', {})).body as Session;
  t.match(claimsOf(anonymous.access_token), { role: 'authenticated', is_anonymous: true });
  t.equal((await call('PUT', '/user', { bearer: anonymous.access_token, body: { data: { a: 1 } } })).status, 200);
});

t.test('required of roles and of single users', async (t) => {
  const server = await openAdminServer(t, { MFA_REQUIRED: 'editor', MFA_PENDING_ROLE: 'nobody' });
  t.match(await server.call('GET', '/settings'), { body: { mfa_required: true } });
  const user = await signUp(server);
  t.equal((await user.rename(user.session)).status, 200, 'no rule asks for a factor');

  await server.admin('PUT', `/admin/users/${user.id}`, { role: 'editor' });
  t.match(await user.rename(user.session), MISSING, 'a token from before the rule applied');
  const pending = await user.signIn();
  t.equal(roleOf(pending), 'nobody');
  t.match(await user.rename(pending), MISSING);
  const { raised } = await raise(server, pending);
  t.equal(roleOf(raised), 'editor', 'the real role');
  t.equal((await user.rename(raised)).status, 200);

  const other = await signUp(server);
  await server.admin('PUT', `/admin/users/${other.id}`, { app_metadata: { mfa_required: true } });
  t.match(await other.rename(other.session), MISSING);
  t.equal(roleOf(await other.refresh(other.session)), 'nobody');
  await server.admin('PUT', `/admin/users/${other.id}`, { app_metadata: { mfa_required: 'true' } });
  t.equal(roleOf(await other.signIn()), 'authenticated', 'only true counts');
});

t.test('MFA_REQUIRED of the role of administrators', async (t) => {
  const server = await openAdminServer(t, { MFA_REQUIRED: 'service_role' });
  const user = await signUp(server);
  const list = ({ access_token: bearer }: Session) => server.call('GET', '/admin/users', { bearer });
  await server.admin('PUT', `/admin/users/${user.id}`, { role: 'service_role' });
  t.match(await list(await user.signIn()), { status: 403, body: { error_code: 'mfa_required' } });
  const { raised, factorId } = await raise(server, await user.signIn());
  t.equal((await list(raised)).status, 200);
  await asAdmin(server)('DELETE', `/admin/users/${user.id}/factors/${factorId}`);
  t.match(await list(await user.refresh(raised)), { status: 403, body: { error_code: 'mfa_required' } });
});

t.test('MFA_REQUIRED_GRACE', async (t) => {
  const server = await openTestServer(t, { MFA_REQUIRED: 'all', MFA_REQUIRED_GRACE: '1h' });
  const user = await signUp(server);
  t.equal(roleOf(user.session), 'authenticated');
  t.equal((await user.rename(user.session)).status, 200);
  await server.database.admin.query(`update users set created_at = created_at - interval '61 minutes'`);
  t.match(await user.rename(user.session), MISSING, 'a token from the time before it ended');
  t.equal(roleOf(await user.refresh(user.session)), 'mfa_pending');

  const early = await signUp(server);
  const { raised } = await raise(server, early.session);
  t.equal(roleOf(raised), 'authenticated');
  t.equal(roleOf(await early.signIn()), 'mfa_pending', 'who has a factor needs no time to enrol one');
});

t.test('the hook custom_access_token gives no session the role that it may not have yet', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }: HookCall) => ({ claims: { ...body.claims, role: 'editor' } }));
  const server = await openTestServer(t, {
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
    HOOK_CUSTOM_ACCESS_TOKEN_CACHE: '1h',
    MFA_REQUIRED: 'all',
  });
  const user = await signUp(server);
  t.equal(receiver.calls.at(-1)!.body.claims.role, 'mfa_pending', 'the hook learns of it');
  t.equal(roleOf(user.session), 'mfa_pending');
  const refreshed = await user.refresh(user.session);
  t.equal(roleOf(refreshed), 'mfa_pending');
  t.match(await user.rename(refreshed), MISSING);
  const { raised, factorId } = await raise(server, refreshed);
  t.equal(roleOf(raised), 'editor');
  t.equal((await user.rename(raised)).status, 200);
  await asAdmin(server)('DELETE', `/admin/users/${user.id}/factors/${factorId}`);
  t.equal(roleOf(await user.refresh(raised)), 'mfa_pending', 'nor by an answer in the cache');
});
