import type { Route } from '../../src/server/http/types.js';
import { exchangeRaw, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge, type TestContext, testRoutes } from '../support/test-edge.js';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const slow = (path: string, handler: Route<TestContext>['handler']): Route<TestContext> => ({
  method: 'GET',
  path,
  caller: 'none',
  handler,
});

const routes = [
  ...testRoutes,
  slow('/stalled', () => new Promise(() => {})),
  slow('/late', async () => {
    await wait(1600);
    return { status: 200, body: 'too late' };
  }),
  slow('/late-fault', async () => {
    await wait(1600);
    throw new Error('no client waits for this');
  }),
];

t.test('SEC-09 a body at 20 kB/s without end is cut off with 408', async (t) => {
  const server = await openTestEdge({ maxRequestSeconds: 1, routes });
  t.teardown(() => server.close());
  const socket = await RawSocket.connect(server.port);
  await socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
  const startedAt = performance.now();
  const feed = setInterval(() => void socket.write(Buffer.alloc(1000, 0x20)), 50);
  const answer = await socket.read().finally(() => clearInterval(feed));
  t.equal(answer.status, 408);
  t.match(JSON.parse(answer.body), { code: 408, error_code: 'request_timeout' });
  t.ok(performance.now() - startedAt >= 950, 'not before its time');
  await socket.readToEnd();
  t.same(server.reached, []);
});

t.test('SEC-09 a stalled handler is a 503, and its later reply is dropped', async (t) => {
  const server = await openTestEdge({ maxRequestSeconds: 1, routes });
  t.teardown(() => server.close());
  const socket = await RawSocket.connect(server.port);
  const [stalled, fault] = [
    exchangeRaw(server.port, requestText('GET', '/stalled')),
    exchangeRaw(server.port, requestText('GET', '/late-fault')),
  ];
  await socket.write(requestText('GET', '/late'));
  for (const answer of [await socket.read(), await stalled, await fault]) {
    t.equal(answer.status, 503);
    t.match(JSON.parse(answer.body), {
      code: 503,
      error_code: 'request_timeout',
      msg: 'Processing this request timed out, please retry after a moment.',
      error_id: /^[0-9a-f-]{36}$/,
    });
  }
  t.equal(server.edge.inFlight(), 0);
  await wait(900);
  await socket.write(requestText('GET', '/show'));
  t.match((await socket.read()).body, /"path":"\/show"/, 'the connection is good for the next request');
  socket.close();
  t.match(server.faults, [{ route: '/late-fault', cause: { message: 'no client waits for this' } }]);
});

t.test('SEC-09 zero turns the deadline off', async (t) => {
  const server = await openTestEdge({ maxRequestSeconds: 0, routes });
  t.teardown(() => server.close());
  t.equal((await exchangeRaw(server.port, requestText('GET', '/late'))).status, 200);
});
