import { Webhook } from 'standardwebhooks';
import { HOOK_SECRET, type HookCall, hookSettingsOf, openHookReceiver, reply } from '../support/hook-receiver.js';
import { freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
const withRole = ({ body }: HookCall) => ({ claims: { ...body.claims, role: 'editor', plan: 'gold' } });

const counts = async ({ database }: TestServer) =>
  (
    await database.admin.query(
      'select (select count(*)::int from users) as users, (select count(*)::int from sessions) as sessions',
    )
  ).rows[0];

t.test('the claims of every token come from the hook', async (t) => {
  const receiver = await openHookReceiver(t, withRole);
  const server = await openTestServer(t, {
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  const email = freshEmail();

  await t.test('sign-up with autoconfirm', async (t) => {
    const { status, body } = await server.post('/signup', { email, password });
    t.equal(status, 200);
    const claims = payloadOf(body.access_token);
    t.match(claims, { role: 'editor', plan: 'gold', sub: body.user.id, email });
    const { rows } = await server.database.admin.query('select id from sessions where user_id = $1', [body.user.id]);
    t.same(
      rows.map(({ id }) => id),
      [claims.session_id],
      'the session has the id that the hook saw',
    );
    const call = receiver.calls.at(-1)!;
    t.match(call.body, {
      metadata: { uuid: /^[0-9a-f-]{36}$/, time: /^\d{4}-.*Z$/, name: 'customize-access-token' },
      user_id: body.user.id,
      authentication_method: 'password',
      claims: { sub: body.user.id, aal: 'aal1', is_anonymous: false, role: 'authenticated' },
    });
    t.equal(call.headers['content-type'], 'application/json');
    t.notOk(call.headers.authorization);
  });

  await t.test('the official library verifies the signature', async (t) => {
    const call = receiver.calls.at(-1)!;
    const webhook = new Webhook(HOOK_SECRET.replace('v1,', ''));
    const headers = call.headers as Record<string, string>;
    t.doesNotThrow(() => webhook.verify(call.text, headers));
    t.throws(() => webhook.verify(call.text.replace('gold', 'iron').concat(' '), headers));
    t.match(call.headers['webhook-id'], /^[0-9a-f-]{36}$/);
  });

  await t.test('password, refresh and an anonymous user', async (t) => {
    const signIn = await server.post('/token?grant_type=password', { email, password });
    t.equal(receiver.calls.at(-1)!.body.authentication_method, 'password');
    t.equal(payloadOf(signIn.body.access_token).plan, 'gold');
    const refreshed = await server.post('/token?grant_type=refresh_token', {
      refresh_token: signIn.body.refresh_token,
    });
    t.equal(refreshed.status, 200);
    t.match(receiver.calls.at(-1)!.body, {
      authentication_method: 'token_refresh',
      claims: { session_id: payloadOf(signIn.body.access_token).session_id },
    });
    t.equal(payloadOf(refreshed.body.access_token).plan, 'gold');
    t.not(refreshed.body.refresh_token, signIn.body.refresh_token);
    const user = await server.call('GET', '/user', { bearer: refreshed.body.access_token });
    t.equal(user.status, 200);
    const anonymous = await server.post('/signup', {});
    t.equal(receiver.calls.at(-1)!.body.authentication_method, 'anonymous');
    t.match(payloadOf(anonymous.body.access_token), { is_anonymous: true, plan: 'gold' });
  });

  await t.test('twenty concurrent refreshes of one token: one child', async (t) => {
    const { body } = await server.post('/token?grant_type=password', { email, password });
    const again = () => server.post('/token?grant_type=refresh_token', { refresh_token: body.refresh_token });
    const answers = await Promise.all(Array.from({ length: 20 }, again));
    t.same([...new Set(answers.map(({ status }) => status))], [200]);
    t.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
  });

  await t.test('a hook that refuses or fails leaves nothing behind', async (t) => {
    const { body: session } = await server.post('/token?grant_type=password', { email, password });
    const before = await counts(server);
    const refusal = { error: { http_code: 403, message: 'not today' } };
    receiver.answer = () => refusal;
    const signUp = await server.post('/signup', { email: freshEmail(), password });
    t.match(signUp, { status: 403, body: { code: 403, error_code: 'unknown', msg: 'not today' } });
    t.equal((await server.post('/signup', {})).status, 403);
    t.equal((await server.post('/token?grant_type=password', { email, password })).status, 403);
    const refresh = () => server.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
    t.equal((await refresh()).status, 403);
    receiver.answer = () => reply(500);
    t.match(await refresh(), {
      status: 500,
      body: { msg: 'Unexpected status code returned from hook: 500', error_code: 'unexpected_failure' },
    });
    t.same(await counts(server), before);
    receiver.answer = withRole;
    const later = await refresh();
    t.equal(later.status, 200, 'the refresh token is not spent');
  });

  await t.test('no connection is held while the hook thinks', async (t) => {
    const { body: session } = await server.post('/token?grant_type=password', { email, password });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = receiver.calls.length;
    receiver.answer = async (call) => {
      await released;
      return withRole(call);
    };
    const refresh = server.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
    const signIn = server.post('/token?grant_type=password', { email, password });
    while (receiver.calls.length < asked + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const { rows } = await server.database.admin.query(
      `select count(*)::int as held from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    );
    t.equal(rows[0].held, 0);
    release();
    t.equal((await refresh).status, 200);
    t.equal((await signIn).status, 200);
    receiver.answer = withRole;
  });
});

t.test('claims that do not fit are refused', async (t) => {
  const receiver = await openHookReceiver(t, withRole);
  const server = await openTestServer(t, hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url));
  const signUp = () => server.post('/signup', { email: freshEmail(), password });
  const change = (changes: object) => {
    receiver.answer = ({ body }) => ({ claims: { ...body.claims, ...changes } });
    return signUp();
  };
  receiver.answer = () => ({});
  t.match(await signUp(), { status: 500, body: { msg: 'output claims field is missing' } });
  t.match(await change({ role: undefined }), {
    status: 500,
    body: { msg: 'output claims do not conform to the expected schema: (root): role is required' },
  });
  t.match((await change({ exp: '12' })).body, { msg: /expected schema: exp: Invalid type. Expected: integer$/ });
  for (const changes of [{ sub: 'other' }, { session_id: 'other' }, { aal: 'aal2' }]) {
    t.match(await change(changes), { status: 500, body: { msg: 'Error running hook' } }, JSON.stringify(changes));
  }
  const long = await change({ big: 'x'.repeat(20_000) });
  t.match(long, { status: 422, body: { error_code: 'validation_failed' } });
  t.same(await counts(server), { users: 0, sessions: 0 });
  const soon = Math.floor(Date.now() / 1000) + 60;
  const short = await change({ exp: soon, amr: ['pwd'], aud: ['a', 'authenticated'] });
  t.match(payloadOf(short.body.access_token), { exp: soon, amr: ['pwd'] });
  t.equal(short.body.expires_in, 3600);
  const late = await change({ exp: soon + 1_000_000 });
  t.ok(payloadOf(late.body.access_token).exp < soon + 3600, 'a later exp is cut');
});

t.test('the cache spares refreshes the hook, until the account changes', async (t) => {
  const receiver = await openHookReceiver(t, withRole);
  const server = await openTestServer(t, {
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
    HOOK_CUSTOM_ACCESS_TOKEN_CACHE: '1h',
  });
  const { body } = await server.post('/signup', { email: freshEmail(), password });
  let token = body.refresh_token;
  const refresh = async () => {
    const answer = await server.post('/token?grant_type=refresh_token', { refresh_token: token });
    t.equal(answer.status, 200);
    token = answer.body.refresh_token;
    return payloadOf(answer.body.access_token);
  };
  t.match(await refresh(), { plan: 'gold', role: 'editor' });
  t.match(await refresh(), { plan: 'gold', role: 'editor' });
  t.match(await refresh(), { plan: 'gold', role: 'editor' });
  t.equal(receiver.calls.length, 2, 'the sign-up and the first refresh asked');
  await server.database.admin.query(`update users set app_metadata = '{"n":1}', updated_at = now() where id = $1`, [
    body.user.id,
  ]);
  t.match(await refresh(), { plan: 'gold', app_metadata: { n: 1 } });
  t.equal(receiver.calls.length, 3);
});

t.test('refreshes from the cache keep the rules of refresh tokens', async (t) => {
  const receiver = await openHookReceiver(t, withRole);
  const server = await openTestServer(t, {
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
    HOOK_CUSTOM_ACCESS_TOKEN_CACHE: '1h',
  });
  const { body } = await server.post('/signup', { email: freshEmail(), password });
  const refresh = (token: string) => server.post('/token?grant_type=refresh_token', { refresh_token: token });
  const first = await refresh(body.refresh_token);
  const asked = receiver.calls.length;

  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(first.body.refresh_token)));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  t.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1, 'one child');
  t.equal(receiver.calls.length, asked, 'the hook was not asked');

  const current = answers[0]!.body.refresh_token;
  await server.database.admin.query('update users set updated_at = now() where id = $1', [body.user.id]);
  receiver.answer = () => reply(500);
  t.equal((await refresh(current)).status, 500, 'the account has changed, so the hook is asked');
  const { rows } = await server.database.admin.query('select max(generation)::int as generation from sessions');
  receiver.answer = withRole;
  const later = await refresh(current);
  t.equal(later.status, 200, 'the token was not spent');
  const { rows: after } = await server.database.admin.query('select max(generation)::int as generation from sessions');
  t.equal(after[0].generation, rows[0].generation + 1);

  await refresh(later.body.refresh_token);
  t.match(await refresh(current), { status: 400, body: { error_code: 'refresh_token_already_used' } }, 'a used token');
});

t.test('cache_seconds of an answer is how long the cache keeps it', async (t) => {
  const receiver = await openHookReceiver(t, (call) => ({ ...withRole(call), cache_seconds: 0 }));
  const settings = { ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url), HOOK_CUSTOM_ACCESS_TOKEN_CACHE: '1h' };
  const server = await openTestServer(t, settings);
  let token = (await server.post('/signup', { email: freshEmail(), password })).body.refresh_token;
  const asksForRefresh = async () => {
    const before = receiver.calls.length;
    const answer = await server.post('/token?grant_type=refresh_token', { refresh_token: token });
    t.match(payloadOf(answer.body.access_token), { plan: 'gold' });
    token = answer.body.refresh_token;
    return receiver.calls.length > before;
  };
  t.same([await asksForRefresh(), await asksForRefresh()], [true, true], '0: never kept');
  receiver.answer = (call) => ({ ...withRole(call), cache_seconds: 2 });
  t.same([await asksForRefresh(), await asksForRefresh()], [true, false], 'kept');
  await new Promise((resolve) => setTimeout(resolve, 2100));
  t.equal(await asksForRefresh(), true, 'for that time only');
});

t.test('with FAIL_OPEN a hook that fails changes nothing, and one that refuses still does', async (t) => {
  const receiver = await openHookReceiver(t, () => reply(500));
  const server = await openTestServer(t, {
    ...hookSettingsOf('CUSTOM_ACCESS_TOKEN', receiver.url),
    HOOK_CUSTOM_ACCESS_TOKEN_FAIL_OPEN: 'true',
  });
  const signUp = () => server.post('/signup', { email: freshEmail(), password });
  const { status, body } = await signUp();
  t.equal(status, 200);
  t.equal(payloadOf(body.access_token).role, 'authenticated');
  receiver.answer = () => ({ error: { http_code: 403, message: 'no' } });
  t.equal((await signUp()).status, 403);
});
