import { exchangeRaw, exchangeUntilClose, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const server = await openTestEdge();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.reached.length = 0;
});

t.test('SEC-07 a Content-Length that is not one to nine digits is rejected', async (t) => {
  for (const value of ['+5', '-1', '0x5', '5, 5', '5 5', '5.0', '1e1', '12345678901234567890', '']) {
    for (const method of ['POST', 'GET']) {
      const path = method === 'GET' ? '/show' : '/echo';
      const text = `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${value}\r\n\r\n{   }`;
      // The engine rejects most of these itself, with its own text. After an empty value it parses the body as a
      // request.
      t.match(await exchangeUntilClose(server.port, text), /^HTTP\/1\.1 (?:400|505) /, `${method} "${value}"`);
    }
  }
  t.same(server.reached, [], 'no side effect');
});

t.test('SEC-07 nothing starts before the whole body has arrived', async (t) => {
  for (const [method, path] of [
    ['POST', '/echo'],
    ['GET', '/show'],
    ['POST', '/nothing'],
  ] as const) {
    const socket = await RawSocket.connect(server.port);
    await socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{  `);
    await new Promise((resolve) => setTimeout(resolve, 50));
    t.same(server.reached, [], path);
    socket.close();
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.same(server.reached, [], 'nor when the client gives up');
  t.equal((await exchangeRaw(server.port, requestText('POST', '/echo', { body: '{   }' }))).status, 200);
});
