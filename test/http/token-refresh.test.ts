import { decodeJwt } from 'jose';
import { type Answer, freshEmail, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const refresh = ({ post }: TestServer, token: string): Promise<Answer> =>
  post('/token?grant_type=refresh_token', { refresh_token: token });

async function signUp({ post }: TestServer) {
  const { body } = await post('/signup', { email: freshEmail(), password });
  return body as { refresh_token: string; access_token: string; user: { id: string; email: string } };
}

t.test('rotation with the default interval', async (t) => {
  const server = await openTestServer(t);

  await t.test('a refresh returns a new pair and keeps the sign-in time', async (t) => {
    const first = await signUp(server);
    const second = await refresh(server, first.refresh_token);
    t.equal(second.status, 200);
    t.match(second.body, { token_type: 'bearer', expires_in: 3600, user: { id: first.user.id } });
    t.not(second.body.refresh_token, first.refresh_token);
    t.notOk('weak_password' in second.body);
    t.equal(second.body.user.last_sign_in_at, (first.user as unknown as { last_sign_in_at: string }).last_sign_in_at);
    const third = await refresh(server, second.body.refresh_token);
    t.equal(third.status, 200);
  });

  await t.test('tokens signed ahead are not those of an account that another instance has changed', async (t) => {
    const { user, ...first } = await signUp(server);
    const known = await refresh(server, (await refresh(server, first.refresh_token)).body.refresh_token);
    await server.database.admin.query(
      `update users set app_metadata = app_metadata || '{"plan":"team"}', updated_at = now() where id = $1`,
      [user.id],
    );
    const { body } = await refresh(server, known.body.refresh_token);
    t.match(
      [known.body, body].map(({ access_token }) => decodeJwt(access_token)['app_metadata']),
      [{ plan: undefined }, { plan: 'team' }],
    );
    t.equal(body.user.app_metadata.plan, 'team');

    await server.database.admin.query(`update users set banned_until = now() + interval '1 hour' where id = $1`, [
      user.id,
    ]);
    const refused = await refresh(server, body.refresh_token);
    t.match(refused.body, { code: 400, error_code: 'user_banned' });
    t.notOk('access_token' in refused.body);
  });

  await t.test('the parent token, within the interval, returns the child again', async (t) => {
    const first = await signUp(server);
    const child = await refresh(server, first.refresh_token);
    const again = await refresh(server, first.refresh_token);
    t.equal(again.status, 200);
    t.equal(again.body.refresh_token, child.body.refresh_token);
  });

  await t.test('the parent after the interval is reuse and revokes the family', async (t) => {
    const first = await signUp(server);
    const child = await refresh(server, first.refresh_token);
    await server.database.admin.query(
      `update sessions set refreshed_at = now() - interval '11 seconds' where user_id = $1`,
      [first.user.id],
    );
    const reused = await refresh(server, first.refresh_token);
    t.equal(reused.status, 400);
    t.same(reused.body, {
      code: 400,
      error_code: 'refresh_token_already_used',
      msg: 'Invalid Refresh Token: Already Used',
    });
    const dead = await refresh(server, child.body.refresh_token);
    t.equal(dead.body.error_code, 'refresh_token_already_used', 'the child is dead too');
    const { rows } = await server.database.admin.query('select revoked_at from sessions where user_id = $1', [
      first.user.id,
    ]);
    t.ok(rows[0].revoked_at, 'the row stays');
  });

  await t.test('a grandparent is reuse within the interval, too', async (t) => {
    const first = await signUp(server);
    const child = await refresh(server, first.refresh_token);
    const grandchild = await refresh(server, child.body.refresh_token);
    t.equal((await refresh(server, first.refresh_token)).body.error_code, 'refresh_token_already_used');
    t.equal((await refresh(server, grandchild.body.refresh_token)).body.error_code, 'refresh_token_already_used');
  });

  await t.test('REL-16: a hundred concurrent refreshes of one token: one child, no 5xx', async (t) => {
    const first = await signUp(server);
    const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(server, first.refresh_token)));
    t.same([...new Set(answers.map(({ status }) => status))], [200]);
    t.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
    const { rows } = await server.database.admin.query('select generation from sessions where user_id = $1', [
      first.user.id,
    ]);
    t.equal(Number(rows[0].generation), 1);
  });

  await t.test('without a token: both error shapes in one body', async (t) => {
    for (const body of [{}, { refresh_token: '' }, { refresh_token: null }]) {
      const answer = await server.post('/token?grant_type=refresh_token', body);
      t.equal(answer.status, 400);
      t.match(answer.body, {
        code: 400,
        msg: 'refresh_token required',
        error: 'invalid_request',
        error_description: 'refresh_token required',
      });
    }
  });

  await t.test('banned and deleted accounts', async (t) => {
    const banned = await signUp(server);
    await server.database.admin.query(`update users set banned_until = now() + interval '1 hour' where id = $1`, [
      banned.user.id,
    ]);
    t.match((await refresh(server, banned.refresh_token)).body, {
      code: 400,
      error_code: 'user_banned',
      msg: 'Invalid Refresh Token: User Banned',
    });
    await server.database.admin.query('update users set banned_until = null where id = $1', [banned.user.id]);
    t.equal((await refresh(server, banned.refresh_token)).status, 200, 'a rejected refresh uses nothing up');
    await server.database.admin.query('delete from users where id = $1', [banned.user.id]);
    t.equal((await refresh(server, banned.refresh_token)).body.error_code, 'refresh_token_not_found');
  });
});

t.test('an explicit interval of 0 is strict', async (t) => {
  const server = await openTestServer(t, { SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '0' });
  const first = await signUp(server);
  await refresh(server, first.refresh_token);
  t.equal((await refresh(server, first.refresh_token)).body.error_code, 'refresh_token_already_used');
});

t.test('rotation off: the same error, nothing revoked', async (t) => {
  const server = await openTestServer(t, {
    SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: 'false',
    SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '0',
  });
  const first = await signUp(server);
  const child = await refresh(server, first.refresh_token);
  t.equal((await refresh(server, first.refresh_token)).body.error_code, 'refresh_token_already_used');
  t.equal((await refresh(server, child.body.refresh_token)).status, 200);
});

t.test('a changed secret: old tokens are valid until the configured time', async (t) => {
  const before = await openTestServer(t, { JWT_SECRET: 'the-old-secret-the-old-secret-the-old-1' });
  const tokens = await signUp(before);
  const settings = { JWT_SECRET: 'the-new-secret-the-new-secret-the-new-2', DB_DATABASE_URL: before.database.url };
  const former = { JWT_PREVIOUS_SECRETS: 'the-old-secret-the-old-secret-the-old-1' };

  const without = await openTestServer(t, settings);
  t.equal((await refresh(without, tokens.refresh_token)).body.error_code, 'refresh_token_not_found');
  t.equal((await without.call('GET', '/user', { bearer: tokens.access_token })).status, 403);

  const expired = await openTestServer(t, {
    ...settings,
    ...former,
    JWT_PREVIOUS_SECRETS_VALID_UNTIL: '2020-01-01T00:00:00Z',
  });
  t.equal((await refresh(expired, tokens.refresh_token)).body.error_code, 'refresh_token_not_found');

  const after = await openTestServer(t, {
    ...settings,
    ...former,
    JWT_PREVIOUS_SECRETS_VALID_UNTIL: '2999-01-01T00:00:00Z',
  });
  t.equal((await after.call('GET', '/user', { bearer: tokens.access_token })).status, 200);
  const renewed = await refresh(after, tokens.refresh_token);
  t.equal(renewed.status, 200);
  t.equal((await refresh(without, renewed.body.refresh_token)).status, 200, 'the new pair is under the new secret');
});
