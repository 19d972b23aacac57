import { parseJsonObject } from '../../src/server/http/json.js';
import { compileBody } from '../../src/server/http/schema.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const hostile = [
  '{"__proto__":{"isAdmin":true},"data":{"__proto__":{"isAdmin":true}}}',
  '{"data":{"a":[{"__proto__":{"isAdmin":true}}]}}',
  '{"data":{"\\u005f_proto__":{"isAdmin":true}}}',
  '{"constructor":{"prototype":{"isAdmin":true}},"data":{"constructor":{"prototype":{"isAdmin":true}}}}',
  '{"prototype":{"isAdmin":true},"data":{"prototype":{"isAdmin":true}}}',
];

t.test('SEC-27 keys that name prototypes reach none', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const body of hostile) {
    t.equal((await exchangeRaw(server.port, requestText('POST', '/echo', { body }))).status, 200, body);
    t.equal(({} as Record<string, unknown>)['isAdmin'], undefined);
  }
  const fresh = JSON.parse(
    (await exchangeRaw(server.port, requestText('POST', '/echo', { body: '{"data":{}}' }))).body,
  );
  t.same(fresh.body, { data: {} });
});

t.test('SEC-27 __proto__ is dropped at any depth, so that no later copy can use it', async (t) => {
  const read = compileBody({ type: 'object', properties: { data: { type: 'object' } } });
  for (const body of hostile) {
    const parsed = read(parseJsonObject(Buffer.from(body)));
    t.notMatch(JSON.stringify(parsed), /__proto__/, body);
    const merge = (target: Record<string, unknown>, from: Record<string, unknown>): Record<string, unknown> => {
      for (const key of Object.keys(from)) {
        const value = from[key];
        target[key] = typeof value === 'object' && value !== null ? merge({}, value as Record<string, unknown>) : value;
      }
      return target;
    };
    t.equal(merge({}, parsed)['isAdmin'], undefined, 'even by a careless merge');
    t.equal(Object.getPrototypeOf(parsed), Object.prototype);
  }
});
