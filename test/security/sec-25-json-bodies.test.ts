import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const server = await openTestEdge();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.reached.length = 0;
});

const PREFIX = 'Could not parse request body as JSON: ';

async function post(
  body: string,
): Promise<{ status: number; answer: { msg?: string; body?: Record<string, unknown> } }> {
  const raw = await exchangeRaw(
    server.port,
    requestText('POST', '/echo', { body: Buffer.from(body).toString('latin1') }),
  );
  return { status: raw.status, answer: JSON.parse(raw.body) };
}

t.test('SEC-25 only an object, or null for an empty one, is a body', async (t) => {
  for (const body of [
    '[]',
    '[{}]',
    '1',
    'true',
    '"text"',
    '',
    ' ',
    '{',
    '{}{}',
    '{} x',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
    '{"a":\u0000}',
  ]) {
    const { status, answer } = await post(body);
    t.equal(status, 400, JSON.stringify(body));
    t.ok(answer.msg?.startsWith(PREFIX), JSON.stringify(body));
  }
  t.equal((await post('')).answer.msg, `${PREFIX}unexpected end of JSON input`);
  t.equal((await post('{"email":"a"')).answer.msg, `${PREFIX}unexpected end of JSON input`);
  t.equal((await post('[]')).answer.msg, `${PREFIX}the top level must be an object`);
  t.same(server.reached, []);
  t.same((await post('null')).answer.body, {});
  t.same((await post(' {} \n')).answer.body, {});
});

t.test('SEC-25 a field of the wrong type is rejected before the handler, by name and without its value', async (t) => {
  const wrong = { array: '["s3cret"]', object: '{"a":"s3cret"}', number: '31337', true: 'true' };
  for (const field of ['email', 'password', 'token', 'type']) {
    for (const [name, value] of Object.entries(wrong)) {
      const { status, answer } = await post(`{"${field}":${value}}`);
      t.equal(status, 400, `${field}: ${name}`);
      t.equal(answer.msg, `${PREFIX}field ${field} must be of type string`);
    }
  }
  for (const value of ['["s3cret"]', '"s3cret"', '31337', 'true']) {
    t.equal((await post(`{"data":${value}}`)).answer.msg, `${PREFIX}field data must be of type object`);
  }
  t.same(server.reached, []);
  for (const field of ['email', 'password', 'token', 'type', 'data']) {
    t.same((await post(`{"${field}":null}`)).answer.body, {}, `${field}: null counts as absent`);
  }
});

t.test('SEC-25 names match without regard to case, unknown ones are dropped, the last duplicate counts', async (t) => {
  t.same((await post('{"EMAIL":"a","other":[1]}')).answer.body, { email: 'a' });
  t.same((await post('{"email":"a","email":"b"}')).answer.body, { email: 'b' });
  t.same((await post('{"email":"a","Email":"b"}')).answer.body, { email: 'b' });
  t.same((await post('{"email":7,"email":"b"}')).answer.body, { email: 'b' });
});

t.test('SEC-25 depth ends at 32', async (t) => {
  const nest = (levels: number, open: string, close: string) =>
    `{"data":${open.repeat(levels)}1${close.repeat(levels)}}`;
  t.equal((await post(nest(31, '{"a":', '}'))).status, 200);
  t.equal((await post(`{"data":{"a":${'['.repeat(30)}${']'.repeat(30)}}}`)).status, 200);
  t.equal((await post(nest(32, '{"a":', '}'))).answer.msg, `${PREFIX}nested deeper than 32`);
  t.equal((await post(`{"data":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`)).status, 400);
  t.equal((await post(`{"other":${'['.repeat(500_000)}`)).status, 400);
  t.equal((await post(`{"email":"${'['.repeat(100)}\\"{{{"}`)).status, 200, 'brackets in text are text');
});

t.test('SEC-25 no part of a bad body is repeated', async (t) => {
  for (const body of [
    '{"password":"s3cret"',
    '{"password":"s3cret" x}',
    's3cret',
    '{"password":s3cret}',
    '{"s3cret":1 1}',
  ]) {
    t.notMatch((await post(body)).answer.msg, /s3c/, body);
  }
});
