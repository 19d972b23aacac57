import { RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const request = Buffer.from(requestText('GET', '/show', { headers: ['Connection: close'] }), 'latin1');
const version2 = Buffer.concat([
  Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a, 0x21, 0x11, 0x00, 0x0c]),
  Buffer.from([203, 0, 113, 9, 203, 0, 113, 10, 0x30, 0x39, 0x00, 0x50]),
]);

t.test('SEC-19 a proxy-protocol preamble changes no address', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const preamble of [Buffer.from('PROXY TCP4 203.0.113.9 203.0.113.10 12345 80\r\n'), version2]) {
    const socket = await RawSocket.connect(server.port);
    await socket.write(Buffer.concat([preamble, request]));
    const received = await socket.readToEnd(15_000);
    t.notMatch(received, /203\.0\.113/);
    if (received.startsWith('HTTP/1.1 200')) t.match(received, /"socketAddress":"127\.0\.0\.1"/);
    else t.match(received, /^(?:HTTP\/1\.1 (?:400|505) .*)?/s, 'or it is no request at all');
  }
  t.notOk(server.accessLog.some((entry) => entry.remoteAddress !== '127.0.0.1'));
});
