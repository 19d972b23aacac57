import { exchangeUntilClose, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const duplicates: Record<string, readonly [string, string][]> = {
  'Content-Length': [
    ['2', '2'],
    ['2', '3'],
    ['', '2'],
    ['2', ''],
  ],
  'Transfer-Encoding': [
    ['chunked', 'chunked'],
    ['chunked', 'identity'],
    ['', 'chunked'],
  ],
  Authorization: [
    ['Bearer good', 'Bearer good'],
    ['Bearer good', 'Bearer bad'],
    ['', 'Bearer good'],
  ],
  Host: [
    ['a', 'a'],
    ['a', 'b'],
    ['', 'a'],
  ],
};

t.test('SEC-05 a second framing, host or authorization header is rejected and the connection closed', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const [name, pairs] of Object.entries(duplicates)) {
    for (const [first, second] of pairs) {
      for (const secondName of [name, name.toLowerCase()]) {
        const host = name === 'Host' ? '' : 'Host: a\r\n';
        const body = name === 'Transfer-Encoding' ? '2\r\n{}\r\n0\r\n\r\n' : '{}';
        const text = `POST /echo HTTP/1.1\r\n${host}${name}: ${first}\r\n${secondName}: ${second}\r\n\r\n${body}`;
        const received = await exchangeUntilClose(server.port, text);
        t.match(received, /^HTTP\/1\.1 400 /, `${name}: "${first}", then "${second}"`);
        // The engine rejects a second Host itself, with its own text.
        if (name !== 'Host') t.match(received, new RegExp(`"msg":"Malformed HTTP request: more than one ${name}"`));
      }
    }
  }
  t.same(server.reached, [], 'nothing was run');
  t.match(
    await exchangeUntilClose(server.port, requestText('GET', '/show', { headers: ['Connection: close'] })),
    /^HTTP\/1\.1 200/,
  );
});
