import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-14 the decoding query getter of the engine is never called', async (t) => {
  const calls = readTree(['src'], '.ts').flatMap(({ path, text }) =>
    [...text.matchAll(/\.getQuery\(([^)]*)\)/g)].map((call) => [path, call[1]]),
  );
  t.same(calls, [['src/server/http/exchange.ts', '']], 'one call, without an argument');
});

t.test('SEC-14 an invalid pair affects no other', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const query = async (text: string) =>
    JSON.parse((await exchangeRaw(server.port, requestText('GET', `/show?${text}`))).body).query;
  t.same(await query('a=%zz%4&b=1'), { b: '1' });
  t.same(await query('a=%zz%4&b=%2'), {});
  t.same(await query('a&b=&=c&&d=1=2'), { a: '', b: '', '': 'c', d: '1=2' });
  t.same(await query(''), {});
  t.same(await query('__proto__=1&constructor=2'), JSON.parse('{"__proto__":"1","constructor":"2"}'));
});
