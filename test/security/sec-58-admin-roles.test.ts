import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin, openAdminServer } from '../support/admin.js';
import { everyFeature } from '../support/every-feature.js';
import { sameInFull } from '../support/long-form.js';
import { cross, pickRows } from '../support/rows.js';
import { freshEmail, JWT_SECRET, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const adminRoutes = endpoints.filter(({ caller }) => caller === 'admin');
const sign = (claims: Record<string, unknown>, secret = JWT_SECRET) => signTestToken(claims, secret);

/** A path with an unknown id, and paths without an id. */
const fill = (path: string, value: string): string => path.replaceAll(/\{[^}]+\}/g, value);
const spellings = [randomUUID(), '1', 'null', '%27%20or%201=1--', '00000000-0000-0000-0000-000000000000'];

t.test('SEC-58: admin endpoints check the verified role before anything else', async (t) => {
  const server = await openTestServer(t, everyFeature);
  const { post, database } = server;
  t.ok(adminRoutes.length >= 12, 'there are such rows');
  t.same(
    endpoints.filter(({ path, caller }) => (path.startsWith('/admin') || path === '/invite') !== (caller === 'admin')),
    [],
    'all below /admin, and /invite, and no other',
  );
  const password = 'correct horse battery';
  const { body: user } = await post('/signup', { email: freshEmail(), password });
  const expired = { iat: 1, exp: 2 };
  const bearers = [
    ['no token', undefined, 401, 'no_authorization'],
    ["a user's", user.access_token, 403, 'not_admin'],
    ['no role', sign({}), 403, 'not_admin'],
    ['another role', sign({ role: 'Service_Role' }), 403, 'not_admin'],
    ['a role in metadata', sign({ app_metadata: { role: 'service_role' } }), 403, 'not_admin'],
    ['a list of roles', sign({ role: ['service_role'] }), 403, ['bad_jwt', 'not_admin']],
    ['expired', sign({ role: 'service_role', ...expired }), 403, 'bad_jwt'],
    ['of another secret', sign({ role: 'service_role' }, 'x'.repeat(40)), 403, 'bad_jwt'],
    ['an account that is gone', sign({ role: 'service_role', sub: randomUUID() }), 403, 'user_not_found'],
  ] as const;
  const targets = adminRoutes.flatMap((route) =>
    (route.path.includes('{') ? spellings : ['']).map((value) => ({ route, value })),
  );
  const cases = pickRows(cross(targets, bearers), [
    // Each endpoint without a token and with that of a user, and every kind of token and spelling.
    ([{ route }, [name]]) =>
      `${route.method} ${route.path} ${['no token', "a user's"].includes(name) ? name : 'another'}`,
    ([{ value }]) => value,
    ([, bearer]) => bearer,
  ]);
  for (const [{ route, value }, [name, bearer, status, code]] of cases) {
    const { method } = route;
    const url = fill(route.path, value);
    // Invalid JSON must not be parsed first, either.
    const answer = await fetch(server.url + url, {
      method,
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      ...(method === 'GET' ? {} : { body: '{' }),
    });
    const body = (await answer.json()) as { error_code: string };
    t.equal(answer.status, status, `${method} ${url}, ${name}`);
    t.ok([code as string | readonly string[]].flat().includes(body.error_code), `${body.error_code}, ${name}`);
  }
  const { rows } = await database.admin.query('select count(*)::int from users');
  t.equal(rows[0].count, 1, 'nothing was made');
});

t.test('SEC-58: a valid token and an invalid id: 404, without a query', sameInFull, async (t) => {
  const server = await openAdminServer(t, everyFeature);
  // Where it comes after another id, that one is answered first.
  for (const { method, path } of adminRoutes.filter(({ path }) => /^[^{]*\{user_id\}/.test(path))) {
    for (const value of ['1', 'null', '%27%20or%201=1--', `${randomUUID()}x`, 'a'.repeat(400)]) {
      const body = method === 'GET' ? undefined : { email: freshEmail() };
      const answer = await server.admin(method, fill(path, value), body);
      t.match(answer, { status: 404, body: { error_code: 'validation_failed', msg: 'user_id must be an UUID' } });
    }
  }
});

t.test('SEC-58: JWT_ADMIN_ROLES replaces the roles', sameInFull, async (t) => {
  const { call } = await openTestServer(t, { JWT_ADMIN_ROLES: 'boss, chief' });
  const list = (role: string) => call('GET', '/admin/users', { bearer: sign({ role }) });
  t.equal((await list('boss')).status, 200);
  t.equal((await list('chief')).status, 200);
  for (const role of ['service_role', 'supabase_admin', '', 'boss, chief'])
    t.equal((await list(role)).status, 403, role);
});

t.test('SEC-58: every action of an administrator is in the audit log and in the log', sameInFull, async (t) => {
  const server = await openAdminServer(t);
  const admin = asAdmin(server);
  const { body } = await admin('POST', '/admin/users', { email: freshEmail() });
  await admin('PUT', `/admin/users/${body.id}`, { role: 'x' });
  await admin('POST', '/admin/generate_link', { type: 'invite', email: freshEmail() });
  await admin('POST', '/invite', { email: freshEmail() });
  await admin('DELETE', `/admin/users/${body.id}`, { should_soft_delete: true });
  await admin('DELETE', `/admin/users/${body.id}`);
  await admin('PUT', `/admin/users/${body.id}`, { role: 'x' });
  const events = await server.audit();
  t.same(
    events.map(({ action, actor_username }) => [action, actor_username]),
    ['user_signedup', 'user_modified', 'user_invited', 'user_invited', 'user_deleted', 'user_deleted'].map((action) => [
      action,
      'service_role',
    ]),
    'and what did not happen is not',
  );
});
