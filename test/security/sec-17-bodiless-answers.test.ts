import { headerOf, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-17 HEAD and 204 have no body, and the next response on the connection is in sync', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const socket = await RawSocket.connect(server.port);
  t.teardown(() => socket.close());
  const next = async () => {
    await socket.write(requestText('GET', '/show'));
    t.match(JSON.parse((await socket.read()).body), { path: '/show' });
  };
  for (const [path, status] of [
    ['/show', 200],
    ['/nope', 404],
    ['/user', 401],
  ] as const) {
    await socket.write(requestText('HEAD', path));
    const answer = await socket.read({ hasBody: false });
    t.equal(answer.status, status, path);
    await next();
  }
  const preflight = requestText('OPTIONS', '/show', { headers: ['Origin: a', 'Access-Control-Request-Method: GET'] });
  for (const text of [requestText('POST', '/nothing'), requestText('POST', '/nothing', { body: '{}' }), preflight]) {
    await socket.write(text);
    const answer = await socket.read();
    t.equal(answer.status, 204);
    t.equal(headerOf(answer, 'content-length'), undefined);
    t.equal(headerOf(answer, 'transfer-encoding'), undefined);
    await next();
  }
});
