/** An operator acts for a user: the token says so, ends soon, and gets nobody into the account. */
import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin } from '../support/admin.js';
import { forgetStepUps, openTestConsole, type TestConsole } from '../support/console.js';
import { everyFeature } from '../support/every-feature.js';
import { hookSettingsOf, openHookReceiver } from '../support/hook-receiver.js';
import { freshEmail, password } from '../support/server.js';
import { openTestMailServer } from '../support/smtp.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
const reason = 'ticket 12';

async function signUp({ post }: TestConsole) {
  const { body } = await post('/signup', { email: freshEmail(), password });
  return { id: body.user.id as string, bearer: body.access_token as string, refresh: body.refresh_token as string };
}

t.test(
  'the token says who acts, ends within 15 minutes, cannot be renewed, and its session shows and ends',
  async (t) => {
    const smtp = await openTestMailServer(t);
    const console = await openTestConsole(t, {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(smtp.port),
      SMTP_ADMIN_EMAIL: 'auth@example.com',
      MAILER_NOTIFICATIONS_IMPERSONATED_ENABLED: 'true',
    });
    const browser = await console.signIn('admin', 'ann');
    const user = await signUp(console);
    const path = `/api/users/${user.id}`;
    const answer = await browser.post(`${path}/impersonate`, { reason });
    t.equal(answer.status, 200);
    t.same(Object.keys(answer.body).sort(), ['access_token', 'expires_at', 'expires_in', 'session_id', 'token_type']);
    const claims = claimsOf(answer.body.access_token);
    t.match(claims, {
      sub: user.id,
      act: { sub: browser.operatorId },
      aal: 'aal1',
      amr: [{ method: 'impersonation' }],
      session_id: answer.body.session_id,
      role: 'authenticated',
    });
    t.same(Object.keys(claims.act), ['sub'], 'the name of the operator stays here');
    t.equal(claims.exp - claims.iat, 900);
    const bearer = answer.body.access_token;
    t.match(await console.call('GET', '/user', { bearer }), { status: 200, body: { id: user.id } });

    const { sessions } = (await browser.get(path)).body;
    t.match(
      sessions.find(({ id }: { id: string }) => id === answer.body.session_id),
      { operator: 'ann', ip: null },
    );
    const { rows } = await console.database.admin.query(
      'select extract(epoch from not_after - created_at)::int as seconds from sessions where act is not null',
    );
    t.same(rows, [{ seconds: 900 }]);
    const audit = await console.database.admin.query(
      "select payload from audit_log where payload->>'action' = 'user_impersonated'",
    );
    t.match(audit.rows, [
      {
        payload: {
          actor_id: browser.operatorId,
          actor_username: 'ann',
          traits: { user_id: user.id, session_id: answer.body.session_id, reason, request_id: /./ },
        },
      },
    ]);
    t.notOk(JSON.stringify(audit.rows).includes(bearer));
    await until(async () => (await smtp.accepted()).length === 1);
    const [mail] = await smtp.accepted();
    t.equal(mail!.subject, 'Support signed in to your account');
    t.match(mail!.text, /acts for you in your account for up to 15 minutes/);
    t.notMatch(mail!.text, /ann/);

    t.equal((await browser.call('DELETE', `${path}/sessions/${answer.body.session_id}`)).status, 204);
    t.match(await console.call('GET', '/user', { bearer }), { status: 403, body: { error_code: 'session_not_found' } });
    t.equal((await console.call('GET', '/user', { bearer: user.bearer })).status, 200, 'the user stays signed in');
  },
);

t.test('the session ends at once also where access tokens outlive theirs, and ends none of the user', async (t) => {
  const console = await openTestConsole(t, { SESSIONS_CHECK_ACCESS_TOKEN: 'false', SESSIONS_SINGLE_PER_USER: 'true' });
  const browser = await console.signIn('admin');
  const user = await signUp(console);
  const { access_token: bearer, session_id } = (await browser.post(`/api/users/${user.id}/impersonate`, { reason }))
    .body;
  const renewed = await console.post('/token?grant_type=refresh_token', { refresh_token: user.refresh });
  t.equal(renewed.status, 200, 'a single session stays the one of the user');
  t.match(await console.call('POST', '/logout', { bearer }), { status: 403, body: { error_code: 'impersonated' } });
  t.equal((await console.call('POST', '/logout?scope=local', { bearer })).status, 204);
  t.match(await console.call('GET', '/user', { bearer }), { status: 403, body: { error_code: 'session_not_found' } });
  t.not(session_id, claimsOf(user.bearer).session_id);
});

t.test('nobody gets into the account by it: every endpoint of users refuses it, but for two', async (t) => {
  const console = await openTestConsole(t, { ...everyFeature, SECURITY_MANUAL_LINKING_ENABLED: 'true' });
  const browser = await console.signIn('admin');
  const user = await signUp(console);
  const bearer = (await browser.post(`/api/users/${user.id}/impersonate`, { reason })).body.access_token;
  const admitted: string[] = [];
  for (const { method, path, caller, callerMayBeImpersonated, assertOn } of endpoints) {
    if (caller !== 'user' || (assertOn !== undefined && !path.startsWith('/oauth') && !path.startsWith('/user')))
      continue;
    if (callerMayBeImpersonated) {
      admitted.push(`${method} ${path}`);
      continue;
    }
    const answer = await console.call(method, path.replace(/\{[^}]+\}/g, randomUUID()), {
      bearer,
      ...(method !== 'GET' && { body: {} }),
    });
    t.match(answer, { status: 403, body: { error_code: 'impersonated' } }, `${method} ${path}`);
  }
  t.same(admitted.sort(), ['GET /user', 'POST /logout']);
  for (const body of [{ password: 'another-password-1' }, { email: freshEmail() }, { data: { plan: 'pro' } }]) {
    t.match(await console.call('PUT', '/user', { bearer, body }), {
      status: 403,
      body: { error_code: 'impersonated' },
    });
  }
});

t.test('whom nobody acts for: administrators, services, those who opted out, banned ones', async (t) => {
  const console = await openTestConsole(t);
  const browser = await console.signIn('owner');
  const admin = asAdmin(console);
  const ask = async (change: object, question: object = { reason }) => {
    const { id } = await signUp(console);
    if (Object.keys(change).length > 0) t.equal((await admin('PUT', `/admin/users/${id}`, change)).status, 200);
    return { id, answer: await browser.post(`/api/users/${id}/impersonate`, question) };
  };
  for (const change of [
    { role: 'service_role' },
    { role: 'supabase_admin' },
    { app_metadata: { no_impersonation: true } },
    { ban_duration: '1h' },
    { app_metadata: { mfa_required: true } },
  ]) {
    const { answer } = await ask(change);
    t.match(answer, { status: 403, body: { error_code: 'user_not_impersonable' } }, JSON.stringify(change));
  }
  const { id } = await ask({ app_metadata: { no_impersonation: true } });
  for (const value of [false, null]) {
    const body = { app_metadata: { no_impersonation: value } };
    t.match(await browser.call('PUT', `/api/users/${id}`, { body }), {
      status: 403,
      body: { error_code: 'impersonation_choice' },
    });
  }
  t.equal((await admin('PUT', `/admin/users/${id}`, { app_metadata: { no_impersonation: null } })).status, 200);
  t.equal((await browser.post(`/api/users/${id}/impersonate`, { reason })).status, 200);

  t.equal((await ask({}, {})).answer.status, 400, 'without a reason');
  t.equal((await ask({}, { reason: '' })).answer.status, 400);
  const { rows } = await console.database.admin.query('select count(*)::int as n from sessions where act is not null');
  t.same(rows, [{ n: 1 }]);
  const support = await console.signIn('support');
  t.match(await support.post(`/api/users/${id}/impersonate`, { reason }), { status: 403 });
  await forgetStepUps(console);
  t.match(await browser.post(`/api/users/${id}/impersonate`, { reason }), {
    status: 403,
    body: { error_code: 'operator_step_up' },
  });
});

t.test('a hook can neither remove the mark nor make an administrator of the operator', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => {
    const { act: _act, ...claims } = body.claims;
    return { claims };
  });
  const console = await openTestConsole(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url));
  const browser = await console.signIn('admin');
  const user = await signUp(console);
  const answer = await browser.post(`/api/users/${user.id}/impersonate`, { reason });
  t.match(receiver.calls.at(-1)!.body, {
    authentication_method: 'impersonation',
    claims: { act: { sub: browser.operatorId } },
  });
  t.match(claimsOf(answer.body.access_token), { act: { sub: browser.operatorId } });
  receiver.answer = ({ body }) => ({ claims: { ...body.claims, role: 'service_role' } });
  t.match(await browser.post(`/api/users/${user.id}/impersonate`, { reason }), {
    status: 403,
    body: { error_code: 'user_not_impersonable' },
  });
});
