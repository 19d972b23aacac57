import { exchangeRaw, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const hidden = requestText('GET', '/items/hidden');
const carriers: Record<string, string> = {
  'unknown method': requestText('FOO', '/show'),
  'two lengths': requestText('POST', '/echo', { headers: ['Content-Length: 2'], body: '{}' }),
  'two authorizations': requestText('GET', '/user', {
    headers: ['Authorization: Bearer a', 'Authorization: Bearer b'],
  }),
  'no such path': requestText('GET', '/nope'),
  'wrong method': requestText('PUT', '/show'),
  'no bearer': requestText('GET', '/user'),
  'bad body': requestText('POST', '/echo', { body: '[' }),
  'bad path': requestText('GET', '/items/%00'),
  head: requestText('HEAD', '/show'),
  preflight: requestText('OPTIONS', '/show', { headers: ['Access-Control-Request-Method: GET'] }),
  'length that lies': 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n',
  'chunked, then trailers': `${requestText('POST', '/echo', { headers: ['Transfer-Encoding: chunked'] })}2\r\n{}\r\n0\r\n`,
};

t.test('SEC-04 a request hidden behind a rejected one, in the same packet, never reaches a handler', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  t.equal((await exchangeRaw(server.port, hidden)).status, 200, 'by itself it is fine');
  t.same(server.reached.splice(0), ['GET /items/hidden']);
  for (const [name, carrier] of Object.entries(carriers)) {
    const socket = await RawSocket.connect(server.port);
    await socket.write(carrier + hidden);
    await socket.readToEnd();
    t.notOk(server.reached.includes('GET /items/hidden'), name);
    server.reached.length = 0;
  }
});
