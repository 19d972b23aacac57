import type { Route } from '../../src/server/http/types.js';
import { t } from '../support/tap.js';
import { openTestEdge, type TestContext, testRoutes } from '../support/test-edge.js';
import { until } from '../support/until.js';

const failing = (path: string, handler: () => unknown): Route<TestContext> => ({
  method: 'GET',
  path,
  caller: 'none',
  handler: handler as Route<TestContext>['handler'],
});

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const routes = [
  ...testRoutes,
  failing('/throws', () => {
    throw new Error('secret detail');
  }),
  failing('/throws-text', () => {
    throw 'secret detail';
  }),
  failing('/rejects', async () => {
    await null;
    throw new Error('secret detail');
  }),
  failing('/rejects-nothing', () => Promise.reject()),
  failing('/nothing', () => undefined),
  failing('/later-nothing', async () => undefined),
  failing('/no-status', () => ({ body: {} })),
  failing('/odd-status', () => ({ status: 99 })),
  failing('/circular', () => ({ status: 200, body: circular })),
  failing('/bigint', () => ({ status: 200, body: { n: 1n } })),
];
const failingPaths = routes.slice(testRoutes.length).map((route) => route.path);

t.test(
  'SEC-03 a handler that throws, rejects or returns no reply is a 500, and the process keeps running',
  async (t) => {
    const server = await openTestEdge({
      routes: routes.filter((route) => route.method !== 'POST' || route.path !== '/nothing'),
    });
    t.teardown(() => server.close());
    for (const path of failingPaths) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
      const text = await answer.text();
      t.equal(answer.status, 500, path);
      t.match(JSON.parse(text), { code: 500, error_code: 'unexpected_failure', error_id: /^[0-9a-f-]{36}$/ }, path);
      t.notMatch(text, /secret|Error|\.js/, path);
    }
    const failures = server.accessLog.filter((entry) => entry.status === 500);
    t.equal(failures.length, failingPaths.length);
    t.match(failures[0], { route: '/throws', errorCode: 'unexpected_failure', cause: { message: 'secret detail' } });
    t.equal((await fetch(`http://127.0.0.1:${server.port}/show`)).status, 200);
    t.equal(server.edge.inFlight(), 0);
  },
);

t.test('SEC-03 a failing authenticator or log does not prevent a response', async (t) => {
  const server = await openTestEdge({
    authenticate: () => Promise.reject(new Error('secret detail')),
    log: {
      request: () => {
        throw new Error('disk full');
      },
      error: () => {},
    },
  });
  t.teardown(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${server.port}/user`, { headers: { Authorization: 'Bearer x' } });
  t.equal(answer.status, 500);
  t.equal((await fetch(`http://127.0.0.1:${server.port}/show`)).status, 200);
});

t.test('SEC-03 a client that disconnects early is logged, and harms nothing', async (t) => {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const slow = async () => {
    begin();
    await isReleased;
    return { status: 200 };
  };
  const server = await openTestEdge({ routes: [...testRoutes, failing('/slow', slow)] });
  t.teardown(() => server.close());
  const caller = new AbortController();
  const gone = t.rejects(fetch(`http://127.0.0.1:${server.port}/slow`, { signal: caller.signal }));
  await isBegun;
  caller.abort();
  await gone;
  // What the engine reads of later connections it reads after the end of that one.
  for (let n = 0; n < 5; n++) await (await fetch(`http://127.0.0.1:${server.port}/show`)).text();
  release();
  await until(() => server.accessLog.some(({ path }) => path === '/slow'));
  t.match(
    server.accessLog.filter(({ path }) => path === '/slow'),
    [{ status: 499 }],
  );
  t.equal(server.edge.inFlight(), 0);
});
