/** The forms of the page "Try the API", from the description of the API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, buildRequest, listOperations, renderCurl } from '../../src/dev/site/api-operations.js';
import { repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const document = JSON.parse(readFileSync(join(repository, 'docs/openapi.json'), 'utf8')) as ApiDocument;
const operations = listOperations(document);
const find = (id: string) => operations.find((one) => one.id === id)!;
const SERVER = 'https://auth.example.com';

t.test('every operation has a form, and each path is whole once its fields are filled in', async (t) => {
  const count = Object.values(document.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
  t.equal(operations.length, count);
  t.equal(new Set(operations.map(({ id }) => id)).size, count);
  for (const operation of operations) {
    t.ok(operation.tag !== '' && operation.summary !== '', operation.id);
    const texts = Object.fromEntries(
      operation.fields.filter((field) => field.in === 'path').map(({ name }) => [`path:${name}`, 'a b/c']),
    );
    const { url } = buildRequest(operation, texts, SERVER, '');
    t.ok(url.startsWith(`${SERVER}/`) && !/[{} ]/.test(url), `${operation.id}: ${url}`);
  }
});

t.test('only what is filled in is sent, as its type; the token only where one is asked for', async (t) => {
  const signUp = find('signUp');
  t.same(buildRequest(signUp, { 'body:email': 'a@b.example', 'body:data': '{"a":1}' }, SERVER, 'tok'), {
    method: 'POST',
    url: `${SERVER}/signup`,
    headers: { 'Content-Type': 'application/json' },
    body: '{"email":"a@b.example","data":{"a":1}}',
  });
  t.throws(() => buildRequest(signUp, { 'body:data': '{' }, SERVER, ''), { message: 'data has to be JSON' });
  const remove = find('adminDeleteUser');
  t.throws(() => buildRequest(remove, {}, SERVER, ''), { message: 'user_id is missing' });
  t.same(buildRequest(remove, { 'path:user_id': 'x/y', 'query:organizations': 'keep' }, SERVER, 'tok'), {
    method: 'DELETE',
    url: `${SERVER}/admin/users/x%2Fy?organizations=keep`,
    headers: { Authorization: 'Bearer tok' },
    body: undefined,
  });
  const soft = buildRequest(remove, { 'path:user_id': 'x', 'body:should_soft_delete': 'true' }, SERVER, '');
  t.equal(soft.body, '{"should_soft_delete":true}');
  const form = operations.find(({ bodyType }) => bodyType === 'application/x-www-form-urlencoded')!;
  const field = form.fields.find(({ in: place, kind }) => place === 'body' && kind === 'text')!;
  t.equal(buildRequest(form, { [`body:${field.name}`]: 'a b' }, SERVER, '').body, `${field.name}=a+b`);
  t.equal(
    renderCurl(buildRequest(signUp, { 'body:password': "it's" }, SERVER, '')),
    `curl -X POST '${SERVER}/signup' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"password":"it'\\''s"}'`,
  );
  t.equal(
    renderCurl(buildRequest(find('getUser'), {}, SERVER, 'tok')),
    `curl '${SERVER}/user' \\\n  -H 'Authorization: Bearer tok'`,
  );
});
