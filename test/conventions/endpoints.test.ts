/** One list has every endpoint and its caller (SEC-59), and there is no other way in. */

import { readConsoleFiles } from '../../src/server/console/console-files.js';
import { consoleEndpoints } from '../../src/server/console/endpoints/index.js';
import { pageRoutes } from '../../src/server/console/endpoints/pages.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { findRegistrations } from '../support/find-registrations.js';
import { readSource, readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

t.test('SEC-59: every endpoint that is defined is in the list', async (t) => {
  const names = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  t.equal(names.size, endpoints.length, 'method and path are unique');
  t.ok(endpoints.length >= 35);
  const listed = new Set<unknown>(endpoints);
  for (const { path, text } of readTree(['src/server/endpoints'], '.ts')) {
    if (!text.includes('defineEndpoint({')) continue;
    const exported = await import(`../../${path.replace(/\.ts$/, '.js')}`);
    const defined = Object.values(exported).filter((value) => Object.hasOwn(Object(value), 'handler'));
    t.equal(defined.length, text.split('defineEndpoint({').length - 1, `${path} exports what it defines`);
    for (const one of defined) t.ok(listed.has(one), `${path} is listed in endpoints/index.ts`);
  }
});

t.test('SEC-59: every endpoint of the console is in its list, and no other is', async (t) => {
  const names = new Set(consoleEndpoints.map(({ method, path }) => `${method} ${path}`));
  t.equal(names.size, consoleEndpoints.length, 'method and path are unique');
  t.ok(consoleEndpoints.length >= 20);
  const listed = new Set<unknown>(consoleEndpoints);
  for (const { path, text } of readTree(['src/server/console'], '.ts')) {
    const count = text.split('defineConsole({').length - 1;
    if (count === 0) continue;
    const exported = await import(`../../${path.replace(/\.ts$/, '.js')}`);
    const defined = Object.values(exported).filter((value) => Object.hasOwn(Object(value), 'handler'));
    t.equal(defined.length, count, `${path} exports what it defines`);
    for (const one of defined) t.ok(listed.has(one), `${path} is listed in console/endpoints/index.ts`);
  }
  for (const { method, path, caller, role } of consoleEndpoints) {
    t.match(path, /^\/api\//);
    t.equal(caller, role === undefined ? 'none' : 'operator', `${method} ${path}`);
    if (role === undefined) t.match(path, /^\/api\/(?:sign-in|link)\b/, `${path} is for signing in`);
  }
});

t.test('SEC-59: what the console serves beside its endpoints is the same for everybody', async (t) => {
  const routes = pageRoutes(readConsoleFiles());
  t.ok(routes.length >= 4);
  for (const { method, path, caller } of routes) {
    t.same([method, caller], ['GET', 'none'], path);
    t.notOk(path.startsWith('/api/'), `${path} is no endpoint`);
  }
});

t.test('SEC-59: no endpoint is registered anywhere else', async (t) => {
  const files = readTree(['src'], '.ts')
    .flatMap(findRegistrations)
    .map((place) => place.replace(/:\d+$/, ''));
  const elsewhere = [...new Set(files)].filter((path) => !/^src\/server\/(?:console\/)?endpoints\/[^/]+$/.test(path));
  // The first are appended by `latchkey dev` only, and one catch-all passes every request to the router.
  const known = [
    'src/dev/identity-provider/routes.ts',
    'src/dev/mailbox/routes.ts',
    'src/dev/start-page/index.ts',
    'src/server/http/listen.ts',
  ];
  t.same(elsewhere.sort(), known);
});

t.test('SEC-59: the caller of each endpoint is the one of the reviewed docs/openapi.json', async (t) => {
  const { paths } = JSON.parse(readSource('docs/openapi.json').text);
  for (const { method, path, caller } of endpoints) {
    t.same(
      paths[path][method.toLowerCase()].security,
      caller === 'none' ? [] : [{ [caller]: [] }],
      `${method} ${path}`,
    );
  }
});

t.test('SEC-59: the check fails when it should', async (t) => {
  const seen = (text: string) => findRegistrations({ path: 'src/a.ts', text });
  t.same(seen("const more = [{ method: 'GET', path: '/x', caller: 'none', handler }];"), ['src/a.ts:1']);
  t.same(seen("\napp.get('/x', (res) => res.end());"), ['src/a.ts:2']);
  t.same(seen('app.any(`/*`, serve);'), ['src/a.ts:1']);
  t.same(seen("map.get('/x'); const row = { path: '/x' };"), []);
});
