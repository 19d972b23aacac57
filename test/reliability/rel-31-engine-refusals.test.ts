import { exchangeUntilClose, requestText } from '../support/raw-socket.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const get = (...lines: string[]) => `${['GET /show HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`;
const post = (...lines: string[]) => `${['POST /echo HTTP/1.1', 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;

/** By the first column of the table in docs/proxies.md. */
const sent: Readonly<Record<string, readonly string[]>> = {
  'HTTP/1.0, also with `Connection: keep-alive`': [
    'GET /show HTTP/1.0\r\nHost: a\r\n\r\n',
    'GET /show HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
  ],
  'HTTP/2 without TLS (prior knowledge)': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'TLS on this port': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  'An absolute-form target: `GET http://auth.example.com/user HTTP/1.1`': [
    'GET http://auth.example.com/user HTTP/1.1\r\nHost: auth.example.com\r\n\r\n',
  ],
  '`OPTIONS *`, `CONNECT`': ['OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  'Lines that end in LF alone': ['GET /show HTTP/1.1\nHost: a\n\n'],
  'No `Host`': [get('X-A: 1')],
  'A header name with a space, a folded line, a control byte in a value': [
    get('Host: a', 'X A: 1'),
    get('Host: a', 'X-A: 1', ' 2'),
    get('Host: a', 'X-A: 1\x012'),
    get('Host: a', 'X-A: 1\x002'),
  ],
  '`Content-Length` that is no number': [post('Content-Length: abc'), post('Content-Length: -1')],
  '`Content-Length` beside `Transfer-Encoding`': [post('Content-Length: 2', 'Transfer-Encoding: chunked')],
  'A chunk size that is none': [`${post('Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`],
  'A head of more than 32 kB, or of more than 98 headers': [
    get('Host: a', `Cookie: ${'c'.repeat(33_000)}`),
    get('Host: a', ...Array.from({ length: 98 }, (_, n) => `X-${n}: 1`)),
  ],
  'A second request before the first was answered (pipelining)': [
    requestText('GET', '/show') + requestText('GET', '/show'),
    requestText('POST', '/echo', { body: '{}' }) + requestText('GET', '/show'),
  ],
};

t.test('REL-31 requests that the engine rejects end with notice, as docs/proxies.md lists', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const [, table = ''] = readSource('docs/proxies.md').text.split('| Sent | Client sees |\n|---|---|\n');
  const rows = [...table.matchAll(/^\| (.*) \| (.*) \|$/gm)].map(([, what, sees]) => [what!, sees!] as const);
  t.same(
    rows.map(([what]) => what),
    Object.keys(sent),
  );
  for (const [what, sees] of rows) {
    for (const bytes of sent[what] ?? []) {
      const answer = await exchangeUntilClose(server.port, bytes);
      if (/^\d+$/.test(sees))
        t.match(answer, new RegExp(`^HTTP/1\\.1 ${sees} [^\\n]*\\r\\nConnection: close\\r\\n\\r\\n<h1>`), what);
      else t.equal(answer, '', what);
    }
  }
  t.same(server.reached, [], 'none reached a handler');
});
