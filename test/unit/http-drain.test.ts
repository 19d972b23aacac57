import type { Route } from '../../src/server/http/types.js';
import { exchangeRaw, headerOf, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge, type TestContext, testRoutes } from '../support/test-edge.js';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const routes: readonly Route<TestContext>[] = [
  ...testRoutes,
  {
    method: 'GET',
    path: '/slow',
    caller: 'none',
    handler: async () => {
      await wait(300);
      return { status: 200, body: 'x'.repeat(500_000) };
    },
  },
  { method: 'GET', path: '/stalled', caller: 'none', handler: () => new Promise(() => {}) },
];

t.test('draining: no new connections, running requests are answered, then everything is closed', async (t) => {
  const server = await openTestEdge({ routes });
  const idle = await RawSocket.connect(server.port);
  await idle.write(requestText('GET', '/show'));
  await idle.read();
  const running = [1, 2, 3].map(() => exchangeRaw(server.port, requestText('GET', '/slow')));
  await wait(50);
  t.equal(server.edge.inFlight(), 3);
  server.edge.beginDrain();
  await wait(20);
  await t.rejects(RawSocket.connect(server.port), { code: 'ECONNREFUSED' });
  await idle.write(requestText('GET', '/show'));
  const late = await idle.read();
  t.equal(late.status, 200, 'a connection that was open may finish');
  t.equal(headerOf(late, 'connection'), 'close', 'the last answer of the connection');
  const closed = server.edge.close(5);
  t.equal(server.edge.close(5), closed, 'closing twice is closing once');
  for (const answer of await Promise.all(running)) {
    t.equal(answer.status, 200);
    t.equal(answer.body.length, 500_002);
    t.equal(headerOf(answer, 'connection'), 'close');
  }
  await closed;
  t.equal(server.edge.inFlight(), 0);
});

t.test('draining: requests that are unanswered at the time limit get a 503', async (t) => {
  const server = await openTestEdge({ routes });
  const stalled = exchangeRaw(server.port, requestText('GET', '/stalled'));
  await wait(50);
  await server.edge.close(0.2);
  const answer = await stalled;
  t.equal(answer.status, 503);
  t.equal(headerOf(answer, 'retry-after'), '1');
  t.match(JSON.parse(answer.body), { error_code: 'service_unavailable' });
});

t.test('over the limit of concurrent requests the answer is 503 with Retry-After; health is exempt', async (t) => {
  const server = await openTestEdge({ routes, maxInFlight: 2 });
  t.teardown(() => server.close());
  const running = [
    exchangeRaw(server.port, requestText('GET', '/slow')),
    exchangeRaw(server.port, requestText('GET', '/slow')),
  ];
  const slowSenders = await Promise.all([1, 2, 3].map(() => RawSocket.connect(server.port)));
  for (const socket of slowSenders) await socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
  await wait(50);
  const refused = await exchangeRaw(server.port, requestText('GET', '/show'));
  t.equal(refused.status, 503);
  t.equal(headerOf(refused, 'retry-after'), '1');
  t.equal((await exchangeRaw(server.port, requestText('GET', '/health'))).status, 200);
  t.same(
    (await Promise.all(running)).map((answer) => answer.status),
    [200, 200],
  );
  t.equal((await exchangeRaw(server.port, requestText('GET', '/show'))).status, 200, 'slow senders hold no place');
  for (const socket of slowSenders) socket.close();
});
