import { exchangeRaw, headerOf, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

let asked = 0;
const server = await openTestEdge({
  authenticate: async () => {
    asked++;
  },
});
t.teardown(() => server.close());

const preflight = (path: string, headers: string[]) =>
  exchangeRaw(server.port, requestText('OPTIONS', path, { headers }));

t.test('SEC-22 a preflight from any origin is answered without credentials, handler or caller', async (t) => {
  for (const path of ['/show', '/user', '/nope']) {
    const answer = await preflight(path, [
      'Origin: https://evil.test',
      'Access-Control-Request-Method: PATCH',
      'Access-Control-Request-Headers: authorization,x-client-info, X-Extra',
    ]);
    t.equal(answer.status, 204, path);
    t.equal(headerOf(answer, 'access-control-allow-origin'), '*');
    t.equal(headerOf(answer, 'access-control-allow-methods'), 'PATCH');
    t.equal(headerOf(answer, 'access-control-allow-headers'), 'authorization,x-client-info, X-Extra');
    t.equal(headerOf(answer, 'access-control-allow-credentials'), undefined);
    t.equal(headerOf(answer, 'vary'), 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers');
  }
  t.same([server.reached, asked], [[], 0]);
});

t.test('SEC-22 a preflight with other methods or headers gets no permission', async (t) => {
  for (const headers of [
    ['Origin: a', 'Access-Control-Request-Method: TRACE'],
    ['Origin: a', 'Access-Control-Request-Method: get'],
    ['Origin: a', 'Access-Control-Request-Method: GET', 'Access-Control-Request-Headers: accept,x-evil'],
    ['Access-Control-Request-Method: GET'],
  ]) {
    const answer = await preflight('/show', headers);
    t.equal(answer.status, 204, headers.join('; '));
    t.notMatch(answer.head, /access-control-allow/i, headers.join('; '));
  }
  t.equal((await preflight('/show', ['Origin: a'])).status, 405, 'without a requested method it is no preflight');
  t.equal((await preflight('/nope', ['Origin: a', 'Access-Control-Request-Method: '])).status, 404);
});

t.test('SEC-22 responses and errors have the wildcard, never credentials', async (t) => {
  for (const [method, path, status] of [
    ['GET', '/show', 200],
    ['GET', '/nope', 404],
    ['POST', '/show', 405],
    ['GET', '/user', 401],
  ] as const) {
    const answer = await exchangeRaw(
      server.port,
      requestText(method, path, { headers: ['Origin: https://evil.test'] }),
    );
    t.equal(answer.status, status);
    t.equal(headerOf(answer, 'access-control-allow-origin'), '*');
    t.equal(headerOf(answer, 'access-control-expose-headers'), 'X-Total-Count, Link, X-Supabase-Api-Version');
    t.equal(headerOf(answer, 'access-control-allow-credentials'), undefined);
    t.equal(headerOf(answer, 'vary'), 'Origin');
  }
  const same = await exchangeRaw(server.port, requestText('GET', '/show'));
  t.equal(headerOf(same, 'access-control-allow-origin'), undefined, 'nothing without an Origin');
  t.equal(headerOf(same, 'vary'), 'Origin');
});
