import { renderConsoleApi, renderOpenApi } from '../../src/dev/docs/openapi.js';
import { renderOrganizationClient } from '../../src/dev/docs/organization-client.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { allFields } from '../../src/server/endpoints/shared/fields.js';
import { catalogue } from '../../src/server/errors.js';
import { describeApi } from '../../src/server/openapi/document.js';
import { findApiFaults } from '../support/check-openapi.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is data.
const describe = () => JSON.parse(JSON.stringify(describeApi(endpoints, '1.2.3'))) as any;

t.test('docs/openapi.json is what npm run docs generates from the endpoints', async (t) => {
  t.equal(readSource('docs/openapi.json').text, renderOpenApi());
  t.equal(readSource('docs/console-openapi.json').text, renderConsoleApi());
});

t.test('clients/organizations has the operations and types that npm run docs generates', async (t) => {
  t.equal(readSource('clients/organizations/operations.ts').text, renderOrganizationClient());
  const manifest = JSON.parse(readSource('clients/organizations/package.json').text);
  const { version, devDependencies } = JSON.parse(readSource('package.json').text);
  t.match(manifest, { version, dependencies: undefined, devDependencies: { typescript: devDependencies.typescript } });
});

t.test('the document follows the rules of OpenAPI 3.1', async (t) => {
  t.same(findApiFaults(describe()), []);
  t.same(findApiFaults(JSON.parse(renderConsoleApi())), []);
});

t.test('every field is one that some endpoint reads', async (t) => {
  const used = new Set(endpoints.flatMap(({ body }) => Object.keys(body?.properties ?? {})));
  t.same(
    Object.keys(allFields).filter((name) => !used.has(name)),
    [],
  );
});

t.test('what the document says follows from the definitions', async (t) => {
  const api = describe();
  for (const { method, path, caller, body, limit } of endpoints) {
    const doc = api.paths[path][method.toLowerCase()];
    t.same(doc.security, caller === 'none' ? [] : [{ [caller]: [] }], `${method} ${path}`);
    t.equal(doc.requestBody === undefined, body === undefined);
    if (limit !== undefined) t.match(doc.responses['429'].description, /over_request_rate_limit/);
    if (caller === 'admin') t.match(doc.responses['403'].description, /not_admin/);
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
