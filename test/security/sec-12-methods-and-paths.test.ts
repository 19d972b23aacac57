import { exchangeRaw, exchangeUntilClose, headerOf, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const server = await openTestEdge();
t.teardown(() => server.close());

t.test('SEC-12 unknown methods are rejected', async (t) => {
  for (const method of ['FOO', 'get', 'Post', 'TRACE', 'CONNECT', 'PROPFIND', 'xxGET:', 'GETGET']) {
    const received = await exchangeUntilClose(server.port, requestText(method, '/show'));
    t.match(received, /^HTTP\/1\.1 400 /, method);
    t.match(received, /"msg":"Malformed HTTP request: unknown method"/, method);
  }
  t.same(server.reached, []);
});

t.test('SEC-12 an unknown path is a JSON 404, a wrong method a JSON 405 with Allow', async (t) => {
  for (const path of ['/', '/nope', '/show/', '/show/more', '/items', '/items/1/2', '/SHOW']) {
    const answer = await exchangeRaw(server.port, requestText('GET', path));
    t.equal(answer.status, 404, path);
    t.match(JSON.parse(answer.body), { code: 404, error_code: 'not_found', msg: `No such endpoint: GET ${path}` });
  }
  for (const [method, path, allow] of [
    ['POST', '/show', 'GET, HEAD'],
    ['PATCH', '/items/1', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/user', 'GET, HEAD, PUT'],
    ['POST', '/once', 'GET'],
  ] as const) {
    const answer = await exchangeRaw(server.port, requestText(method, path));
    t.equal(answer.status, 405, `${method} ${path}`);
    t.equal(headerOf(answer, 'allow'), allow);
    t.equal(headerOf(answer, 'content-type'), 'application/json');
    t.match(JSON.parse(answer.body), { code: 405, error_code: 'method_not_allowed' });
  }
});
