import { exchangeRaw } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

t.test('SEC-20 host and forwarding headers change nothing for handlers or the log', async (t) => {
  const server = await openTestEdge({ requestIdHeader: 'x-request-id' });
  t.teardown(() => server.close());
  const send = (...headers: string[]) =>
    exchangeRaw(server.port, `GET /show?a=1 HTTP/1.1\r\nX-Request-Id: same\r\n${headers.join('\r\n')}\r\n\r\n`);
  const plain = await send('Host: auth.test');
  const hostile = await send(
    'Host: evil.test:99999',
    'Forwarded: for=203.0.113.9;host=evil.test;proto=http',
    'X-Forwarded-Host: evil.test',
    'X-Forwarded-Proto: javascript',
  );
  t.equal(plain.status, 200);
  t.equal(hostile.body, plain.body);
  const strip = (head: string) => head.replace(/^Date:.*$/m, '');
  t.equal(strip(hostile.head), strip(plain.head));
  const [first, second] = server.accessLog.map(({ durationMs: _, ...entry }) => entry);
  t.same(second, first);
});
