import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { openAdminServer } from '../support/admin.js';
import { claimsOf, codeOf, enrolTotp, type Session } from '../support/authenticator-app.js';
import { freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

const on = { MFA_TRUSTED_DEVICE_ENABLED: 'true' };

async function open(t: Test, settings: Record<string, string> = on) {
  const server = await openAdminServer(t, settings);
  const { call, post, admin } = server;
  /** Verifies in a session and trusts its device. @param stepsLater of the code, which counts once */
  async function trust(session: Session, factorId: string, code: string, trust_device?: object) {
    const bearer = session.access_token;
    const challenge = await call('POST', `/factors/${factorId}/challenge`, { bearer });
    const body = { challenge_id: challenge.body.id, code, trust_device };
    return call('POST', `/factors/${factorId}/verify`, { bearer, body });
  }
  /** A user whose device is trusted. */
  async function openTrusting() {
    const email = freshEmail();
    const session = (await post('/signup', { email, password })).body as Session;
    const { id: factorId, secret } = await enrolTotp(server, session);
    const verified = await trust(session, factorId, codeOf(secret, -1), { name: 'laptop' });
    const token = verified.body.trusted_device_token as string;
    const signIn = (security: object = { trusted_device_token: token }) =>
      post('/token?grant_type=password', { email, password, gotrue_meta_security: security });
    const devices = async () => (await admin('GET', `/admin/users/${session.user.id}/trusted-devices`)).body;
    const raised = verified.body as Session;
    return { id: session.user.id as string, email, factorId, secret, verified, raised, token, signIn, devices };
  }
  return { ...server, trust, openTrusting };
}

const levelOf = ({ body }: { body: { access_token: string } }) => claimsOf(body.access_token)['aal'];

t.test('a trusted device stands for the second factor', async (t) => {
  const server = await open(t);
  const user = await server.openTrusting();
  t.match(user.token, /^[\w-]{43}$/, '256 bits');
  const stored = await server.database.admin.query('select * from mfa_trusted_devices');
  t.notOk(JSON.stringify(stored.rows).includes(user.token), 'kept hashed');
  // The verification was a while ago.
  await server.database.admin.query(`update mfa_trusted_devices set created_at = now() - interval '2 hours'`);

  const signedIn = await user.signIn();
  const { amr } = claimsOf(signedIn.body.access_token) as { amr: { method: string; timestamp: number }[] };
  t.equal(levelOf(signedIn), 'aal2');
  t.same(
    amr.map(({ method }) => method),
    ['password', 'mfa/trusted_device'],
  );
  t.ok(Math.abs(amr[1]!.timestamp - (Date.now() / 1000 - 7200)) < 60, 'the time of the original verification');
  const refreshed = await server.post('/token?grant_type=refresh_token', {
    refresh_token: signedIn.body.refresh_token,
  });
  t.equal(levelOf(refreshed), 'aal2');

  t.equal(levelOf(await user.signIn({})), 'aal1', 'without the token');
  t.equal(levelOf(await user.signIn({ trusted_device_token: 'x'.repeat(43) })), 'aal1', 'with another token');
  t.equal(levelOf(await user.signIn({ trusted_device_token: 42 })), 'aal1');
  const other = await server.openTrusting();
  t.equal(levelOf(await other.signIn({ trusted_device_token: user.token })), 'aal1', 'of another user');
  t.match(await server.audit('trusted_device_added'), [
    { actor_id: user.id, traits: { factor_id: user.factorId } },
    {},
  ]);
});

t.test('wherever a session opens', async (t) => {
  const server = await open(t);
  const user = await server.openTrusting();
  // The first proof of the address would end the trust.
  await server.database.admin.query('update users set proven_email = email where id = $1', [user.id]);
  const { body: link } = await server.admin('POST', '/admin/generate_link', { type: 'magiclink', email: user.email });
  const gotrue_meta_security = { trusted_device_token: user.token };
  const verified = await server.post('/verify', {
    type: 'magiclink',
    token_hash: link.hashed_token,
    gotrue_meta_security,
  });
  t.equal(levelOf(verified), 'aal2');
  const takers = endpoints.filter(({ caller, body, answers, path }) => {
    const opens = JSON.stringify(answers).includes('TokenResponse');
    return caller === 'none' && body !== undefined && opens && path !== '/signup';
  });
  t.ok(takers.length >= 2);
  for (const { path, takesTrustedDevice } of takers) t.equal(takesTrustedDevice, true, path);
});

t.test('what ends the trust', async (t) => {
  const server = await open(t);
  const { call, admin } = server;
  const ends: Record<string, (user: Awaited<ReturnType<typeof server.openTrusting>>) => Promise<unknown>> = {
    'a new password': (user) =>
      call('PUT', '/user', { bearer: user.raised.access_token, body: { password: 'another correct horse' } }),
    'a password by an administrator': (user) => admin('PUT', `/admin/users/${user.id}`, { password: 'another horse' }),
    'a ban': (user) => admin('PUT', `/admin/users/${user.id}`, { ban_duration: '1h' }),
    'a global sign-out': (user) => call('POST', '/logout', { bearer: user.raised.access_token }),
    'removal of the factor': (user) =>
      call('DELETE', `/factors/${user.factorId}`, { bearer: user.raised.access_token }),
    'a reset': (user) => admin('POST', `/admin/users/${user.id}/factors/reset`),
    'its own end': () => server.database.admin.query('update mfa_trusted_devices set expires_at = now()'),
    'its removal': (user) => call('DELETE', '/trusted-devices', { bearer: user.raised.access_token }),
  };
  for (const [name, end] of Object.entries(ends)) {
    const user = await server.openTrusting();
    t.equal((await user.devices()).length, 1);
    await end(user);
    t.same(await user.devices(), [], name);
  }
  const user = await server.openTrusting();
  await call('POST', '/logout?scope=local', { bearer: user.raised.access_token });
  t.equal(levelOf(await user.signIn()), 'aal2', 'a local sign-out ends none');
});

t.test('removing the factor lowers the session of a trusted device', async (t) => {
  const server = await open(t);
  const user = await server.openTrusting();
  const trusted = (await user.signIn()).body as Session;
  await server.admin('DELETE', `/admin/users/${user.id}/factors/${user.factorId}`);
  const lowered = await server.post('/token?grant_type=refresh_token', { refresh_token: trusted.refresh_token });
  t.match(claimsOf(lowered.body.access_token), { aal: 'aal1', amr: [{ method: 'password' }] });
});

t.test('step-up still asks', async (t) => {
  const server = await open(t, { ...on, SECURITY_STEP_UP_MAX_AGE: '10m' });
  const user = await server.openTrusting();
  await server.database.admin.query(`update mfa_trusted_devices set created_at = now() - interval '11 minutes'`);
  const trusted = (await user.signIn()).body as Session;
  const put = (session: Session) =>
    server.call('PUT', '/user', { bearer: session.access_token, body: { password: 'another correct horse' } });
  t.match(await put(trusted), { status: 403, body: { error_code: 'mfa_step_up_required', max_age: 600 } });
  const removal = await server.call('DELETE', '/trusted-devices', { bearer: trusted.access_token });
  t.match(removal, { status: 403, body: { error_code: 'mfa_step_up_required' } });
  const verified = await server.trust(trusted, user.factorId, codeOf(user.secret, 1));
  t.equal((await put(verified.body as Session)).status, 200, 'a verification in the session renews it');
});

t.test('a user lists and removes devices', async (t) => {
  const server = await open(t, { ...on, MFA_TRUSTED_DEVICE_MAX_PER_USER: '2' });
  const { call } = server;
  const user = await server.openTrusting();
  const second = await server.trust(user.raised, user.factorId, codeOf(user.secret), { name: 'tablet' });
  const bearer = second.body.access_token;
  const third = await server.trust(second.body, user.factorId, codeOf(user.secret, 1), {});
  t.match(third.body.trusted_device_token, /^[\w-]{43}$/);
  const listed = await call('GET', '/trusted-devices', { bearer });
  t.match(
    listed.body,
    [{ name: 'tablet', factor_id: user.factorId, last_used_at: null }, { name: '' }],
    'two of three',
  );
  t.equal(levelOf(await user.signIn()), 'aal1', 'the oldest is gone');
  const [{ id }] = listed.body;
  t.match(await call('GET', `/trusted-devices/${id}`, { bearer }), { status: 200, body: { id, name: 'tablet' } });

  const low = ((await user.signIn({})).body as Session).access_token;
  const refused = { status: 403, body: { error_code: 'insufficient_aal' } };
  t.match(await call('DELETE', `/trusted-devices/${id}`, { bearer: low }), refused);
  t.equal((await call('DELETE', `/trusted-devices/${id}`, { bearer })).status, 204);
  const missing = { status: 404, body: { error_code: 'trusted_device_not_found' } };
  for (const one of [id, randomUUID(), 'nonsense']) {
    t.match(await call('GET', `/trusted-devices/${one}`, { bearer }), missing);
    t.match(await call('DELETE', `/trusted-devices/${one}`, { bearer }), missing);
  }
  const other = await server.openTrusting();
  const [foreign] = (await other.devices()) as { id: string }[];
  t.match(await call('DELETE', `/trusted-devices/${foreign!.id}`, { bearer }), missing, 'of another user');
  const path = `/admin/users/${other.id}/trusted-devices/${foreign!.id}`;
  t.match(await server.admin('GET', path), { status: 200, body: { name: 'laptop' } });
  t.equal((await server.admin('DELETE', path)).status, 204);
  t.match(await server.admin('DELETE', path), missing);
  t.match(await server.audit('trusted_device_removed'), [{ actor_id: user.id }, { actor_username: 'service_role' }]);
});

t.test('off by default', async (t) => {
  const server = await open(t, {});
  const user = await server.openTrusting();
  t.equal(user.verified.status, 200);
  t.equal(user.token, undefined);
  t.same(await user.devices(), []);
});
