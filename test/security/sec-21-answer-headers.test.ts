import { exchangeRaw, headerOf, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge, testRoutes } from '../support/test-edge.js';

t.test('SEC-21 headers of every kind of response', async (t) => {
  const server = await openTestEdge({
    routes: [
      ...testRoutes,
      {
        method: 'GET',
        path: '/cached',
        caller: 'none',
        handler: () => ({ status: 200, body: {}, headers: { 'cache-control': 'public, max-age=600' } }),
      },
      {
        method: 'GET',
        path: '/page',
        caller: 'none',
        handler: () => ({ status: 200, body: '<p>hi', headers: { 'Content-Type': 'text/html; charset=utf-8' } }),
      },
    ],
  });
  t.teardown(() => server.close());
  const preflight = { headers: ['Origin: a', 'Access-Control-Request-Method: GET'] };
  const kinds: Record<string, [text: string, status: number]> = {
    json: [requestText('GET', '/show'), 200],
    echo: [requestText('POST', '/echo', { body: '{}' }), 200],
    'no content': [requestText('POST', '/nothing'), 204],
    redirect: [requestText('GET', '/redirect?to=/x'), 303],
    'not found': [requestText('GET', '/nope'), 404],
    'wrong method': [requestText('POST', '/show'), 405],
    unauthorized: [requestText('GET', '/user'), 401],
    malformed: [requestText('FOO', '/show'), 400],
    preflight: [requestText('OPTIONS', '/show', preflight), 204],
    page: [requestText('GET', '/page'), 200],
    cached: [requestText('GET', '/cached'), 200],
  };
  for (const [kind, [text, status]] of Object.entries(kinds)) {
    const answer = await exchangeRaw(server.port, text);
    t.equal(answer.status, status, kind);
    t.equal(headerOf(answer, 'x-content-type-options'), 'nosniff', kind);
    t.equal(headerOf(answer, 'cache-control'), kind === 'cached' ? 'public, max-age=600' : 'no-store', kind);
    t.equal(headerOf(answer, 'referrer-policy'), kind === 'redirect' ? 'no-referrer' : undefined, kind);
    t.notOk(
      answer.headers.some(([name]) => /^(?:server|uwebsockets|x-powered-by|via)$/.test(name)),
      kind,
    );
    t.notMatch(answer.head, /uwebsockets|latchkey|node/i, kind);
    const names = answer.headers.map(([name]) => name);
    t.equal(new Set(names).size, names.length, `${kind}: no header twice`);
    const type =
      kind === 'page'
        ? 'text/html; charset=utf-8'
        : status === 204 || kind === 'redirect'
          ? undefined
          : 'application/json';
    t.equal(headerOf(answer, 'content-type'), type, kind);
  }
});
