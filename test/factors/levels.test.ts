/** What verifications and removals do to the level and the methods of sessions. */

import { claimsOf, codeOf, enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { t } from '../support/tap.js';

const PHONE = { MFA_PHONE_ENROLL_ENABLED: 'true', MFA_PHONE_VERIFY_ENABLED: 'true' };

async function signUp(server: TestServer) {
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const signIn = async () => (await server.post('/token?grant_type=password', { email, password })).body as Session;
  const refresh = async ({ refresh_token }: Session) =>
    (await server.post('/token?grant_type=refresh_token', { refresh_token })).body as Session;
  return { session, signIn, refresh };
}

const levelOf = ({ access_token }: Session) => {
  const { aal, amr } = claimsOf(access_token) as { aal: string; amr: { method: string }[] };
  return [aal, ...amr.map(({ method }) => method)];
};

t.test('a second use of a method renews its time', async (t) => {
  const server = await openTestServer(t);
  const { session, refresh } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  const raised = (await verifyWith(server, session, id, app.nextCode())).body as Session;
  await server.database.admin.query(
    `update sessions set amr = (
      select jsonb_agg(e || jsonb_build_object('timestamp', extract(epoch from now())::bigint - 900) order by n)
      from jsonb_array_elements(amr) with ordinality as entry (e, n))`,
  );
  const again = (await verifyWith(server, raised, id, app.nextCode())).body as Session;
  t.equal(again.user.last_sign_in_at, session.user.last_sign_in_at, 'a verification is no sign-in');
  for (const one of [again, await refresh(again)]) {
    t.same(levelOf(one), ['aal2', 'totp', 'password']);
    const [totp, first] = claimsOf(one.access_token)['amr'] as { timestamp: number }[];
    t.ok(Math.abs(totp!.timestamp - Date.now() / 1000) < 60, 'now');
    t.ok(Math.abs(first!.timestamp - (Date.now() / 1000 - 900)) < 60, 'unchanged');
  }
});

t.test('a verification ends the other sessions below AAL2, and no others', async (t) => {
  const server = await openTestServer(t);
  const { session, signIn, refresh } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  const first = (await verifyWith(server, session, id, app.nextCode())).body as Session;
  const [second, low] = [await signIn(), await signIn()];
  const raised = (await verifyWith(server, second, id, app.nextCode())).body as Session;
  t.match(await refresh(low), { error_code: 'refresh_token_not_found' });
  for (const one of [first, raised]) t.equal(levelOf(await refresh(one))[0], 'aal2');
});

t.test('later verifications drop what was begun of their own kind only', async (t) => {
  const gateways = await startFakeGateways(t);
  const server = await openTestServer(t, { ...gateways.settings('twilio'), ...PHONE });
  const { session } = await signUp(server);
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  const raised = (await verifyWith(server, session, id, app.nextCode())).body as Session;
  const begin = (body: object) =>
    server.call('POST', '/factors', { bearer: raised.access_token, body: { friendly_name: 'begun', ...body } });
  t.equal((await begin({ factor_type: 'totp' })).status, 200);
  const phone = await begin({ factor_type: 'phone', phone: '+15555550100', friendly_name: 'begun phone' });
  const again = await verifyWith(server, raised, id, app.nextCode());
  const left = [
    { id, status: 'verified' },
    { id: phone.body.id, status: 'unverified' },
  ];
  t.equal(again.body.user.factors.length, 2, 'in the answer');
  t.match(again.body.user.factors, left);
  t.match((await server.call('GET', '/user', { bearer: again.body.access_token })).body.factors, left);
});

/** The factors of a user, whose session has verified first one, then the other. */
async function openTwice(server: TestServer, second: (raised: Session) => Promise<{ id: string; raised: Session }>) {
  const account = await signUp(server);
  const { id, secret } = await enrolTotp(server, account.session);
  const once = (await verifyWith(server, account.session, id, openApp(secret).nextCode())).body as Session;
  return { ...account, first: id, secret, ...(await second(once)) };
}

t.test('without one of two factors a session has the level that the other one gives it', async (t) => {
  const gateways = await startFakeGateways(t);
  const server = await openTestServer(t, { ...gateways.settings('twilio'), ...PHONE });
  const { call } = server;
  const { id, raised, refresh } = await openTwice(server, async ({ access_token: bearer }) => {
    const body = { factor_type: 'phone', phone: '+15555550100', friendly_name: 'phone' };
    const enrolled = (await call('POST', '/factors', { bearer, body })).body;
    const challenge = (await call('POST', `/factors/${enrolled.id}/challenge`, { bearer, body: {} })).body;
    const code = /\d{6}/.exec(gateways.requests.at(-1)!.fields['Body']!)![0];
    const answer = { challenge_id: challenge.id, code };
    const verified = await call('POST', `/factors/${enrolled.id}/verify`, { bearer, body: answer });
    return { id: enrolled.id, raised: verified.body };
  });
  t.same(levelOf(raised), ['aal2', 'mfa/phone', 'totp', 'password']);
  t.equal((await call('DELETE', `/factors/${id}`, { bearer: raised.access_token })).status, 200);
  const left = await refresh(raised);
  t.same(levelOf(left), ['aal2', 'totp', 'password']);
  const put = { bearer: left.access_token, body: { password: 'another correct horse' } };
  t.equal((await call('PUT', '/user', put)).status, 200, 'the rules agree with the token');
});

t.test('of two factors of one kind the one that was used last counts', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;
  const { first, id, raised, refresh, signIn, secret } = await openTwice(server, async (once) => {
    const enrolled = await enrolTotp(server, once, { friendly_name: 'second' });
    const verified = await verifyWith(server, once, enrolled.id, codeOf(enrolled.secret));
    return { id: enrolled.id, raised: verified.body };
  });
  const other = (await verifyWith(server, await signIn(), first, codeOf(secret))).body as Session;
  t.equal((await call('DELETE', `/factors/${id}`, { bearer: raised.access_token })).status, 200);
  const lowered = await refresh(raised);
  t.same(levelOf(lowered), ['aal1', 'password']);
  const put = { bearer: lowered.access_token, body: { password: 'another correct horse' } };
  t.match(await call('PUT', '/user', put), { status: 401, body: { error_code: 'insufficient_aal' } });
  t.same(levelOf(await refresh(other)), ['aal2', 'totp', 'password'], 'a session that has used the other one');
});
