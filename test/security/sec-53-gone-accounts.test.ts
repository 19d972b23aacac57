import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken, asAdmin } from '../support/admin.js';
import { everyFeature } from '../support/every-feature.js';
import { freshEmail, JWT_SECRET, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

interface Person {
  readonly id: string;
  /** The access token, and one of the same account and session with an administrator's role. */
  readonly bearer: string;
  readonly operator: string;
}

async function signUp({ post }: TestServer): Promise<Person> {
  const { body } = await post('/signup', { email: freshEmail(), password });
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
  return {
    id: body.user.id,
    bearer: body.access_token,
    operator: signTestToken({ ...claims, role: 'service_role' }, JWT_SECRET),
  };
}

/** Actions on the account, and the error code of its token afterwards; null: the token stays valid in this mode. */
const actions = (server: TestServer) => {
  const admin = asAdmin(server);
  const put = (id: string, body: object) => admin('PUT', `/admin/users/${id}`, body);
  return [
    ['ban', ({ id }: Person) => put(id, { ban_duration: '1h' }), 'user_banned', 'user_banned'],
    [
      'soft delete',
      ({ id }: Person) => admin('DELETE', `/admin/users/${id}`, { should_soft_delete: true }),
      'user_not_found',
      'user_not_found',
    ],
    ['delete', ({ id }: Person) => admin('DELETE', `/admin/users/${id}`), 'user_not_found', 'user_not_found'],
    ['logout', ({ bearer }: Person) => server.call('POST', '/logout', { bearer }), null, 'session_not_found'],
    [
      'logout of all',
      ({ bearer }: Person) => server.call('POST', '/logout?scope=global', { bearer }),
      null,
      'session_not_found',
    ],
    [
      'new password by an operator',
      ({ id }: Person) => put(id, { password: 'a new passphrase' }),
      null,
      'session_not_found',
    ],
  ] as const;
};

for (const [column, isStrict] of [false, true].entries()) {
  t.test(`SEC-53: ban, delete, logout; then the old token, AUTH_SESSIONS_CHECK_ACCESS_TOKEN=${isStrict}`, async (t) => {
    const server = await openTestServer(t, { ...everyFeature, SESSIONS_CHECK_ACCESS_TOKEN: String(isStrict) });
    const { call } = server;
    for (const action of actions(server)) {
      const [name, act, ...codes] = action;
      const code = codes[column]!;
      const person = await signUp(server);
      const uses: [string, () => ReturnType<typeof call>][] = [
        ['GET /user', () => call('GET', '/user', { bearer: person.bearer })],
        ['PUT /user', () => call('PUT', '/user', { bearer: person.bearer, body: { data: { a: 1 } } })],
        ['GET /admin/users', () => call('GET', '/admin/users', { bearer: person.operator })],
        [
          'POST /admin/users',
          () => call('POST', '/admin/users', { bearer: person.operator, body: { email: freshEmail() } }),
        ],
      ];
      for (const [use, ask] of uses) t.equal((await ask()).status, 200, `before ${name}: ${use}`);
      t.ok([200, 204].includes((await act(person)).status), name);
      for (const [use, ask] of uses) {
        const { status, body } = await ask();
        if (code === null && use.includes('/admin'))
          t.match({ status, body }, { status: 403, body: { error_code: 'session_not_found' } }, `${name}, then ${use}`);
        else if (code === null) t.equal(status, 200, `${name}, then ${use}: the token serves until it expires`);
        else t.match({ status, body }, { status: 403, body: { error_code: code } }, `${name}, then ${use}`);
      }
    }
  });
}

t.test('SEC-53: every endpoint for users or administrators checks the account first', async (t) => {
  const server = await openTestServer(t, everyFeature);
  const admin = asAdmin(server);
  const [banned, deleted] = [await signUp(server), await signUp(server)];
  await admin('PUT', `/admin/users/${banned.id}`, { ban_duration: '1h' });
  await admin('DELETE', `/admin/users/${deleted.id}`);
  const guarded = endpoints.filter(({ caller }) => caller === 'user' || caller === 'admin');
  t.ok(guarded.length > 15);
  for (const { method, path, caller, resourceErrors } of guarded) {
    for (const [person, code] of [
      [banned, 'user_banned'],
      [deleted, 'user_not_found'],
    ] as const) {
      const bearer = caller === 'admin' ? person.operator : person.bearer;
      const body = method === 'GET' ? undefined : {};
      const answer = await server.call(method, path.replaceAll(/\{[^}]+\}/g, banned.id), { bearer, body });
      const status = resourceErrors === true ? 401 : 403;
      t.match(answer, { status, body: { error_code: code } }, `${method} ${path}`);
    }
  }
});

t.test('SEC-53: an administrator whose session has ended administers nothing', async (t) => {
  const server = await openTestServer(t, everyFeature);
  const { id, bearer, operator } = await signUp(server);
  const alive = await server.call('GET', '/health', { bearer: operator });
  t.not(alive.body.version, '', 'the version, before');
  t.equal((await server.call('POST', '/logout?scope=global', { bearer })).status, 204);
  const refusal = { status: 403, body: { error_code: 'session_not_found' } };
  for (const { method, path } of endpoints.filter(({ caller }) => caller === 'admin')) {
    const body = method === 'GET' ? undefined : {};
    const answer = await server.call(method, path.replaceAll(/\{[^}]+\}/g, id), { bearer: operator, body });
    t.match(answer, refusal, `${method} ${path}`);
  }
  const appMetadata = { bearer: operator, body: { app_metadata: { plan: 'gold' } } };
  t.match(await server.call('PUT', '/user', appMetadata), refusal, 'PUT /user');
  t.equal((await server.call('GET', '/user', { bearer: operator })).status, 200, 'reading stays as it is');
  t.equal((await server.call('GET', '/health', { bearer: operator })).body.version, '');
  t.notOk('database' in (await server.call('GET', '/health/ready', { bearer: operator })).body);
  const nameless = adminToken({ session_id: randomUUID() });
  t.match(await server.call('GET', '/admin/users', { bearer: nameless }), refusal, 'a session without an account');
  const foreign = await signUp(server);
  const { session_id } = JSON.parse(Buffer.from(foreign.bearer.split('.')[1]!, 'base64url').toString());
  const borrowed = adminToken({ sub: id, session_id });
  t.match(await server.call('GET', '/admin/users', { bearer: borrowed }), refusal, 'the session of another account');
  const service = adminToken({ sub: id });
  t.equal((await server.call('GET', '/admin/users', { bearer: service })).status, 200, 'a service token');
});

t.test('SEC-53: an expired ban admits the account again, and an admin token needs no account', async (t) => {
  const server = await openTestServer(t, everyFeature);
  const person = await signUp(server);
  const past = "update users set banned_until = now() - interval '1 second'";
  await server.database.admin.query(past);
  t.equal((await server.call('GET', '/user', { bearer: person.bearer })).status, 200);
  t.equal((await server.call('GET', '/admin/users', { bearer: adminToken() })).status, 200);
});
