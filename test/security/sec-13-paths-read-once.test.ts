import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const server = await openTestEdge();
t.teardown(() => server.close());
const get = (target: string) => exchangeRaw(server.port, requestText('GET', target));

t.test('SEC-13 odd bytes and segments in a path are rejected', async (t) => {
  const paths = [
    ...['%00', '%0a', '%7f', '%c2%85', '%ff', '%c0%ae', '%ed%a0%80', '%', '%2', '%zz', '%u0041'],
    ...'..%2f ..%2Fadmin a%2fb a%5cb a\\b .. . %2e%2e %2e %252e %2561 x/../y x//y'.split(' '),
  ].map((part) => `/items/${part}`);
  for (const path of [...paths, '//items/1', '/./show', '/items/\xff', '/items/\xc3\xa9']) {
    const answer = await get(path);
    t.equal(answer.status, 400, path);
    t.match(JSON.parse(answer.body), { code: 400, msg: 'Malformed HTTP request: invalid path' }, path);
  }
  t.same(server.reached, []);
});

t.test('SEC-13 valid paths are decoded once', async (t) => {
  for (const [raw, decoded] of [
    ['a%20b', 'a b'],
    ['%C3%A9', 'é'],
    ['100%25', '100%'],
    ['a+b', 'a+b'],
    ['..a', '..a'],
  ] as const) {
    t.equal(JSON.parse((await get(`/items/${raw}`)).body).params.item_id, decoded, raw);
  }
  t.match(JSON.parse((await get('/show?a=%2541&b=%C3%A9+%2B')).body).query, { a: '%41', b: 'é +' });
});

t.test('SEC-13 control bytes and invalid UTF-8 in a query are rejected', async (t) => {
  for (const query of ['a=%00', 'a=%ff', 'a=%c0%80', 'a=%1b', 'a%00b=1', 'a=%7f', 'a=%ed%a0%80']) {
    t.equal((await get(`/show?${query}`)).status, 400, query);
  }
  t.equal(
    JSON.parse((await get('/show?error_description=a%0D%0Ab%09c')).body).query.error_description,
    'a\r\nb\tc',
    'line ends and tabs are text: providers send them, and nothing writes them out unchecked (SEC-16)',
  );
});
