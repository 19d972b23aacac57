import { exchangeUntilClose, headerOf, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

const server = await openTestEdge();
t.teardown(() => server.close());
t.beforeEach(() => {
  server.reached.length = 0;
});

const chunks = '2\r\n{}\r\n0\r\n\r\n';
const chunked = (path: string) => requestText('POST', path, { headers: ['Transfer-Encoding: chunked'] }) + chunks;

t.test('SEC-06 any transfer encoding but the single word chunked is rejected', async (t) => {
  for (const value of [
    'identity',
    'xchunked',
    'chunkedx',
    'gzip, chunked',
    'chunked, chunked',
    'chunked,',
    '"chunked"',
    '',
  ]) {
    const text = requestText('POST', '/echo', { headers: [`Transfer-Encoding: ${value}`] }) + chunks;
    const received = await exchangeUntilClose(server.port, text);
    t.match(received, /^HTTP\/1\.1 400 /, value);
    t.match(received, /"msg":"Malformed HTTP request: Transfer-Encoding must be chunked"/, value);
  }
  t.same(server.reached, []);
});

t.test('SEC-06 both headers together are rejected', async (t) => {
  for (const headers of [
    ['Transfer-Encoding: chunked', 'Content-Length: 2'],
    ['Content-Length: 2', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: ', 'Content-Length: 2'],
  ]) {
    const received = await exchangeUntilClose(server.port, requestText('POST', '/echo', { headers }) + chunks);
    // With an empty value the engine parses the rest as another request and refuses it.
    t.match(received, /^HTTP\/1\.1 (?:400|505) /, headers.join('; '));
  }
  t.same(server.reached, []);
});

t.test('SEC-06 a chunked request is served with Connection: close, and the connection ends', async (t) => {
  for (const [path, status] of [
    ['/echo', 200],
    ['/nothing', 204],
    ['/nope', 404],
  ] as const) {
    const socket = await RawSocket.connect(server.port);
    await socket.write(chunked(path));
    const answer = await socket.read();
    t.equal(answer.status, status, path);
    t.equal(answer.headers.filter(([name, value]) => name === 'connection' && value === 'close').length, 1, path);
    t.equal(await socket.readToEnd(), '', `${path}: closed, with nothing behind the answer`);
    if (status === 204) t.equal(headerOf(answer, 'content-length'), undefined);
  }
});

t.test('SEC-06 bytes after the end of a chunked request never run', async (t) => {
  const hidden = requestText('GET', '/items/hidden');
  const trailers = `2\r\n{}\r\n0\r\n${hidden}`;
  const head = requestText('POST', '/echo', { headers: ['Transfer-Encoding: chunked'] });
  await exchangeUntilClose(server.port, head + trailers);
  for (const rest of [hidden, `X-Trailer: 1\r\n\r\n${hidden}`]) {
    const socket = await RawSocket.connect(server.port);
    await socket.write(`${head}2\r\n{}\r\n0\r\n\r\n`);
    await socket.read();
    await socket.write(rest);
    await socket.readToEnd();
  }
  t.notOk(server.reached.includes('GET /items/hidden'));
  t.ok(server.reached.includes('POST /echo'), 'the requests in front did');
});
