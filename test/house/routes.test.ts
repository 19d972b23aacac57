/** One table says who may call what (SEC-59): it is complete, agrees with the documents, and there is no other way in. */
import t from 'tap';
import { routes } from '../../src/server/routes/index.js';
import { type DocumentedRoutes, findRegistrations, findRouteFaults, type RouteRow } from '../support/check-routes.js';
import { readSource, readTree } from '../support/source-tree.js';

/** Every endpoint of the interface, and what it asks of its caller. */
const documented: DocumentedRoutes = {
  'POST /signup': 'none',
  'POST /token': 'none',
  'GET /user': 'user',
  'PUT /user': 'user',
  'POST /logout': 'user',
  'GET /settings': 'none',
  'GET /.well-known/jwks.json': 'none',
  'GET /openapi.json': 'none',
  'GET /health': 'none',
  'GET /health/ready': 'none',
  'POST /verify': 'none',
  'GET /verify': 'none',
  'POST /verify/confirm': 'none',
  'POST /otp': 'none',
  'POST /magiclink': 'none',
  'POST /recover': 'none',
  'POST /resend': 'none',
  'GET /reauthenticate': 'user',
  'POST /invite': 'admin',
  'GET /authorize': 'none',
  'GET /callback': 'none',
  'POST /callback': 'none',
  'GET /user/identities/authorize': 'user',
  'DELETE /user/identities/{identity_id}': 'user',
  'GET /admin/users': 'admin',
  'POST /admin/users': 'admin',
  'GET /admin/users/{user_id}': 'admin',
  'POST /admin/users/{user_id}': 'admin',
  'PUT /admin/users/{user_id}': 'admin',
  'DELETE /admin/users/{user_id}': 'admin',
  'GET /admin/users/{user_id}/factors': 'admin',
  'PUT /admin/users/{user_id}/factors/{factor_id}': 'admin',
  'DELETE /admin/users/{user_id}/factors/{factor_id}': 'admin',
  'GET /admin/audit': 'admin',
  'POST /admin/generate_link': 'admin',
};

/** Documented, and not built yet: a row that is built leaves this list, or the test fails. */
const planned: readonly string[] = [];

t.test('SEC-59: the table of routes holds every endpoint, with the caller the documents ask for', async (t) => {
  t.ok(routes.length >= 9);
  t.same(findRouteFaults(routes, documented, planned), []);
});

t.test('SEC-59: no endpoint is made anywhere else', async (t) => {
  const places = readTree(['src'], '.ts').flatMap(findRegistrations);
  const inTable = places.filter((place) => place.startsWith('src/server/routes/index.ts:'));
  t.equal(inTable.length, routes.length, 'every row of the table is seen');
  const elsewhere = places.filter((place) => !inTable.includes(place)).map((place) => place.replace(/:\d+$/, ''));
  // The mailbox is appended to the table by `latchkey dev`, and by nothing else.
  const known = ['src/dev/mailbox/routes.ts', 'src/server/http/listen.ts'];
  t.same([...new Set(elsewhere)].sort(), known, 'and one catch-all hands everything to the table');
});

t.test('SEC-59: every file of routes is in the table', async (t) => {
  const table = readSource('src/server/routes/index.ts').text;
  for (const { path, text } of readTree(['src/server/routes'], '.ts')) {
    if (!/Promise<Reply>|: Reply\b/.test(text) || path.endsWith('/index.ts')) continue;
    const name = path.replace('src/server/routes/', './').replace(/\.ts$/, '.js');
    t.ok(table.includes(`from '${name}'`), `${path} is served`);
  }
});

t.test('SEC-59: the check fails when it should', async (t) => {
  const rows: RouteRow[] = [
    { method: 'GET', path: '/user', auth: 'user' },
    { method: 'POST', path: '/token', auth: 'none' },
  ];
  const list: DocumentedRoutes = { 'GET /user': 'user', 'POST /token': 'none' };
  t.same(findRouteFaults(rows, list, []), []);
  t.same(findRouteFaults([...rows, { method: 'PUT', path: '/user', auth: 'none' }], list, []), [
    'PUT /user is not documented',
  ]);
  t.same(findRouteFaults(rows, { ...list, 'GET /user': 'admin' }, []), [
    'GET /user asks for user, the documents say admin',
  ]);
  t.same(findRouteFaults(rows.slice(1), list, []), ['GET /user has no row in the table of routes']);
  t.same(findRouteFaults(rows.slice(1), list, ['GET /user']), []);
  t.same(findRouteFaults(rows, list, ['GET /user']), ['GET /user is built and still listed as planned']);
  t.same(findRouteFaults(rows, list, ['GET /x']), ['GET /x is planned by nobody']);
  t.same(findRouteFaults([...rows, rows[0]!], list, []), ['GET /user has two rows']);

  const seen = (text: string) => findRegistrations({ path: 'src/a.ts', text });
  t.same(seen("const more = [{ method: 'GET', path: '/x', auth: 'none', handler }];"), ['src/a.ts:1']);
  t.same(seen("\napp.get('/x', (res) => res.end());"), ['src/a.ts:2']);
  t.same(seen('app.any(`/*`, serve);'), ['src/a.ts:1']);
  t.same(seen("map.get('/x'); const row = { path: '/x' };"), []);
});
