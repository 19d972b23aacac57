import t from 'tap';
import { routes } from '../../src/server/routes/index.js';
import { adminToken, asAdmin } from '../support/admin.js';
import { freshEmail, JWT_SECRET, openTestServer, type TestServer } from '../support/server.js';
import { signTestToken } from '../support/tokens.js';

const password = 'correct horse battery';

interface Person {
  readonly id: string;
  /** The token of the sign-in, and one of the same account and session with an operator's role. */
  readonly bearer: string;
  readonly operator: string;
}

async function signUp({ call }: TestServer): Promise<Person> {
  const { body } = await call('POST', '/signup', { body: { email: freshEmail(), password } });
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
  return {
    id: body.user.id,
    bearer: body.access_token,
    operator: signTestToken({ ...claims, role: 'service_role' }, JWT_SECRET),
  };
}

/** What is done to the account, and how its token is refused from then on; null: in this mode it is not. */
const deeds = (server: TestServer) => {
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
    const server = await openTestServer(t, { SESSIONS_CHECK_ACCESS_TOKEN: String(isStrict) });
    const { call } = server;
    for (const deed of deeds(server)) {
      const [name, act, ...refusals] = deed;
      const refusal = refusals[column]!;
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
        if (refusal === null) t.equal(status, 200, `${name}, then ${use}: the token serves until it expires`);
        else t.match({ status, body }, { status: 403, body: { error_code: refusal } }, `${name}, then ${use}`);
      }
    }
  });
}

t.test('SEC-53: every endpoint that asks for a user or an operator looks at the account first', async (t) => {
  const server = await openTestServer(t);
  const admin = asAdmin(server);
  const [banned, deleted] = [await signUp(server), await signUp(server)];
  await admin('PUT', `/admin/users/${banned.id}`, { ban_duration: '1h' });
  await admin('DELETE', `/admin/users/${deleted.id}`);
  const guarded = routes.filter(({ auth }) => auth !== 'none');
  t.ok(guarded.length > 15);
  for (const { method, path, auth } of guarded) {
    for (const [person, code] of [
      [banned, 'user_banned'],
      [deleted, 'user_not_found'],
    ] as const) {
      const bearer = auth === 'admin' ? person.operator : person.bearer;
      const body = method === 'GET' ? undefined : {};
      const answer = await server.call(method, path.replaceAll(/\{[^}]+\}/g, banned.id), { bearer, body });
      t.match(answer, { status: 403, body: { error_code: code } }, `${method} ${path}`);
    }
  }
});

t.test(
  "SEC-53: a ban that is over lets the account in again, and a token without an account is an operator's",
  async (t) => {
    const server = await openTestServer(t);
    const person = await signUp(server);
    const past = "update users set banned_until = now() - interval '1 second'";
    await server.database.admin.query(past);
    t.equal((await server.call('GET', '/user', { bearer: person.bearer })).status, 200);
    t.equal((await server.call('GET', '/admin/users', { bearer: adminToken() })).status, 200);
  },
);
