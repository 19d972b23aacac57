import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { isLoopback } from '../../src/server/outbound/loopback.js';
import { callOut, MAX_ANSWER_BYTES } from '../../src/server/outbound/outbound.js';
import { serveOnLoopback } from '../support/loopback-server.js';
import { findQuickest } from '../support/quickest.js';
import { t } from '../support/tap.js';

const fails = (fault: string, wasSent: boolean) => ({
  name: 'OutboundError',
  message: /remote server/,
  fault,
  wasSent,
});

t.test('http is for the loopback only, and other schemes are refused', async (t) => {
  for (const url of ['http://example.com/', 'http://127.0.0.1.a.test/', 'ftp://localhost/', 'file:///etc', 'x', '']) {
    await t.rejects(callOut({ url }), fails('address', false), url);
  }
  for (const host of ['localhost', '127.0.0.1', '127.9.8.7', '[::1]']) t.ok(isLoopback(host), host);
  for (const host of ['localhost.example.com', '128.0.0.1', '127.0.0.1.nip.io', '[::2]'])
    t.notOk(isLoopback(host), host);
});

t.test('sends a request and returns status, headers and text', async (t) => {
  const url = await serveOnLoopback(t, (request, response) => {
    response.writeHead(418, { 'X-Two': ['a', 'b'] });
    void text(request).then((body) => response.end(JSON.stringify([request.method, request.headers['x-key'], body])));
  });
  const answer = await callOut({ url, method: 'POST', headers: { 'X-Key': 'k' }, body: 'grüße' });
  t.equal(answer.status, 418);
  t.equal(answer.headers['x-two'], 'a, b');
  t.same(JSON.parse(answer.text), ['POST', 'k', 'grüße']);
});

t.test('redirects: a GET follows them on its own origin, up to three; a POST never', async (t) => {
  const visited: string[] = [];
  const url = await serveOnLoopback(t, (request, response) => {
    visited.push(`${request.method} ${request.url}`);
    const left = Number(/\d+$/.exec(request.url!)?.[0] ?? 0);
    if (request.url === '/away') response.writeHead(302, { Location: 'https://evil.example/' }).end();
    else if (request.url === '/port') response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    else if (left > 0) response.writeHead(302, { Location: `/${left - 1}` }).end();
    else response.end('here');
  });
  t.equal((await callOut({ url: `${url}/3` })).text, 'here');
  t.same(visited.splice(0), ['GET /3', 'GET /2', 'GET /1', 'GET /0']);
  for (const path of ['/4', '/away', '/port'])
    await t.rejects(callOut({ url: url + path }), fails('redirect', true), path);
  visited.length = 0;
  t.equal((await callOut({ url: `${url}/2`, method: 'POST', body: 'x' })).status, 302);
  t.same(visited, ['POST /2']);
});

t.test('a response of more than 1 MB, a slow one and an incomplete one are errors', async (t) => {
  const url = await serveOnLoopback(t, (request, response) => {
    if (request.url === '/full') response.end('x'.repeat(MAX_ANSWER_BYTES));
    else if (request.url === '/huge') response.end('x'.repeat(MAX_ANSWER_BYTES + 1));
    else if (request.url === '/drip') {
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    } else {
      response.writeHead(200, { 'Content-Length': '10' }).write('x');
      setImmediate(() => request.socket.destroy());
    }
  });
  t.equal((await callOut({ url: `${url}/full` })).text.length, MAX_ANSWER_BYTES);
  await t.rejects(callOut({ url: `${url}/huge` }), fails('tooLarge', true));
  await t.rejects(callOut({ url: `${url}/drip`, totalSeconds: 0.4 }), fails('timeout', true));
  await t.rejects(callOut({ url: `${url}/broken` }), fails('cut', true));
});

t.test('without a connection nothing was sent', async (t) => {
  await t.rejects(callOut({ url: 'http://127.0.0.1:1/' }), fails('unreachable', false));
  await t.rejects(callOut({ url: 'https://no-such-host.invalid/' }), fails('unreachable', false));

  // Accepts, and never starts TLS.
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // SEC-44: 5 s to connect.
  const { ms } = await findQuickest(6500, () =>
    t.rejects(callOut({ url: `https://127.0.0.1:${port}/` }), fails('unreachable', false)),
  );
  t.ok(ms > 4500 && ms < 6500, `${Math.round(ms)} ms`);
});
