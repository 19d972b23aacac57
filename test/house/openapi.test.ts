import t from 'tap';
import { renderOpenApi } from '../../src/dev/docs/openapi.js';
import { catalogue } from '../../src/server/errors.js';
import { describeApi } from '../../src/server/openapi/document.js';
import { fieldDescriptions } from '../../src/server/openapi/fields.js';
import { operations } from '../../src/server/openapi/operations.js';
import { routes } from '../../src/server/routes/index.js';
import { findApiFaults } from '../support/check-openapi.js';
import { readSource } from '../support/source-tree.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is data.
const describe = () => JSON.parse(JSON.stringify(describeApi(routes, '1.2.3'))) as any;

t.test('docs/openapi.json is what the table of routes makes of it: npm run docs', async (t) => {
  t.equal(readSource('docs/openapi.json').text, renderOpenApi());
});

t.test('the document keeps the rules of OpenAPI 3.1', async (t) => {
  t.same(findApiFaults(describe()), []);
});

t.test('every route is documented, and nothing else', async (t) => {
  const rows = routes.map(({ method, path }) => `${method} ${path}`);
  t.same(
    Object.keys(operations).filter((name) => !rows.includes(name)),
    [],
    'entries without a route',
  );
  t.same(
    rows.filter((name) => !Object.hasOwn(operations, name)),
    [],
    'routes without an entry',
  );
  const undocumented = { method: 'GET', path: '/nobody/knows', auth: 'none' } as const;
  t.throws(() => describeApi([undocumented], '1'), /GET \/nobody\/knows has no entry/);
  const used = new Set(routes.flatMap(({ body }) => Object.keys(body?.properties ?? {})));
  const unused = Object.keys(fieldDescriptions).filter((name) => !used.has(name));
  t.same(
    unused.filter((name) => !['captcha_token', 'gotrue_meta_security'].includes(name)),
    [],
    'fields nobody takes',
  );
});

t.test('what the document says follows from the table of routes', async (t) => {
  const api = describe();
  for (const { method, path, auth, body, limit } of routes) {
    const doc = api.paths[path][method.toLowerCase()];
    t.same(doc.security, auth === 'none' ? [] : [{ [auth]: [] }], `${method} ${path}`);
    t.equal(doc.requestBody === undefined, body === undefined);
    if (limit !== undefined) t.match(doc.responses['429'].description, /over_request_rate_limit/);
    if (auth === 'admin') t.match(doc.responses['403'].description, /not_admin/);
  }
  const codes = new Set(Object.values(catalogue).map(([, code]) => code));
  t.same(api.components.schemas.ErrorCode.enum, [...codes].sort());
});

t.test('the check fails when it should', async (t) => {
  // biome-ignore lint/suspicious/noExplicitAny: broken on purpose.
  const broken = (change: (api: any) => void): string => {
    const api = describe();
    change(api);
    return findApiFaults(api).join('\n');
  };
  t.match(
    broken((api) => delete api.paths['/user'].get.responses),
    /required property 'responses'/,
  );
  t.match(
    broken((api) => {
      api.paths['/user'].get.operationId = 'signUp';
    }),
    /is another signUp/,
  );
  t.match(
    broken((api) => {
      api.paths['/user'].get.security = [{ nobody: [] }];
    }),
    /nobody, which is no scheme/,
  );
  t.match(
    broken((api) => {
      api.paths['/admin/users/{user_id}'].get.parameters = [];
    }),
    /does not declare/,
  );
  t.match(
    broken((api) => delete api.components.schemas.User),
    /User leads nowhere/,
  );
  t.match(
    broken((api) => {
      api.paths['/user'].connect = api.paths['/user'].get;
    }),
    /property name must be valid/,
  );
});
