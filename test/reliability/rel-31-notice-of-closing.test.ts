import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { exchangeUntilClose, RawSocket, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';
import { openTestEdge } from '../support/test-edge.js';

/** What the engine or RFC 9112 9.6 ends a connection for. Of the first line the engine reads the length, which is 5. */
const ENDING: readonly (readonly string[])[] = [
  ['Connection: close'],
  ['Connection: CLOSE'],
  ['Connection:   close  '],
  ['Connection: TE, close'],
  ['Connection: close, TE'],
  ['Connection: keep-alive,close'],
  ['Connection: TE', 'Connection: close'],
  ['Connection: close', 'Connection: TE'],
  ['Connection: close', 'Connection: close'],
  ['Connection: keep-alive', 'X-Between: 1', 'Connection: TE, Close'],
  ['Connection: abcde'],
];
const KEPT: readonly (readonly string[])[] = [
  [],
  ['Connection: keep-alive'],
  ['Connection: TE'],
  ['Connection: closed'],
  ['Connection: not-close, TE'],
  ['Connection: TE', 'Connection: close5'],
];
/** One of each kind of answer: shared headers, own headers, an API error, no body. */
const REQUESTS: readonly (readonly [method: string, target: string, headers?: readonly string[]])[] = [
  ['GET', '/show'],
  ['GET', '/redirect?to=/x'],
  ['GET', '/nowhere'],
  ['POST', '/nothing'],
  ['HEAD', '/show'],
  ['OPTIONS', '/show', ['Origin: http://a.test', 'Access-Control-Request-Method: GET']],
];

t.test('REL-31 a response has Connection: close exactly when the socket is closed after it', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const [method, target, own = []] of REQUESTS) {
    for (const [headers, ends] of [...ENDING.map((h) => [h, true] as const), ...KEPT.map((h) => [h, false] as const)]) {
      const name = `${method} ${target} with ${JSON.stringify(headers)}`;
      const socket = await RawSocket.connect(server.port);
      const text = requestText(method, target, { headers: [...own, ...headers] });
      await socket.write(text);
      const answer = await socket.read({ hasBody: method !== 'HEAD' });
      const said = (field: string) => answer.headers.filter(([key]) => key === field).map(([, value]) => value);
      t.same(said('connection'), [ends ? 'close' : 'keep-alive'], name);
      t.same(said('keep-alive'), ends ? [] : ['timeout=8'], name);
      if (ends) t.equal(await socket.readToEnd(1000), '', `${name}: closed`);
      else {
        await socket.write(text);
        t.equal((await socket.read({ hasBody: method !== 'HEAD' })).status, answer.status, `${name}: and once more`);
      }
      socket.close();
    }
  }
});

t.test('REL-31 five bytes that are fewer characters end a connection with notice', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const value of ['a\xc3\xa9bc', 'a\xff\xffbc', 'ab\xe2\x82\xaccd']) {
    const answer = await exchangeUntilClose(
      server.port,
      requestText('GET', '/show', { headers: [`Connection: ${value}`] }),
    );
    t.match(answer, /^Connection: close\r$/m);
    t.notMatch(answer, /keep-alive/i);
  }
});

t.test('REL-31 an error that ends the connection has one Connection: close', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const headers of [...ENDING, ...KEPT]) {
    for (const text of [
      requestText('BREW', '/show', { headers }),
      requestText('GET', '/show', { headers: ['Host: other', ...headers] }),
      requestText('POST', '/echo', { headers: ['Content-Length: 2000000', ...headers] }),
      `${requestText('POST', '/echo', { headers: ['Transfer-Encoding: chunked', ...headers] })}2\r\n{}\r\n0\r\n\r\n`,
    ]) {
      const answer = await exchangeUntilClose(server.port, text);
      t.equal(answer.match(/^Connection: close\r$/gm)?.length, 1, text);
      t.notMatch(answer, /keep-alive/i);
    }
  }
});

t.test('REL-31 answers of a stopping server say Connection: close', async (t) => {
  const server = await openTestEdge();
  const socket = await RawSocket.connect(server.port);
  t.teardown(() => socket.close());
  await socket.write(requestText('GET', '/show'));
  t.match(await socket.read(), { status: 200 });
  server.edge.beginDrain();
  await socket.write(requestText('GET', '/show'));
  const { head } = await socket.read();
  t.match(head, /^Connection: close$/m);
  t.notMatch(head, /Keep-Alive/i);
  t.equal(await socket.readToEnd(1000), '');
  await server.close();
});

/** One request through an agent. @returns its status, and whether it went over a socket from the pool */
function ask(
  agent: http.Agent,
  port: number,
  headers: http.OutgoingHttpHeaders = {},
): Promise<{ status: number | undefined; isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', path: '/echo', method: 'POST', headers };
    const request = http.request(options, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, isReused: request.reusedSocket }));
    });
    request.on('error', reject);
    request.end('{"email":"a"}');
  });
}

t.test('REL-31 a pool of Node repeats requests with Connection: close', async (t) => {
  // What node-fetch does without an agent of its own, and with it the tests of @supabase/auth-js: it writes
  // `Connection: close`, but the agent keeps the socket unless the response has it, too.
  const server = await openTestEdge();
  t.teardown(() => server.close());
  for (const connection of ['close', 'TE, close']) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; n < 20; n++) {
      const { status, isReused } = await ask(agent, server.port, { connection, te: 'trailers' });
      if (status !== 200 || isReused) t.fail(`request ${n} with ${connection}: ${status}, reused: ${isReused}`);
      // The end of the connection must not come first.
      if (n % 2 === 1) await pause(5);
    }
    agent.destroy();
  }
  t.equal(server.reached.length, 40);
});

t.test(
  'REL-31 pools of Node keep a connection that is not to end, and give it up before the server does',
  async (t) => {
    const server = await openTestEdge();
    t.teardown(() => server.close());
    // A far higher limit of its own, so that only the header can close it.
    const agent = new http.Agent({ keepAlive: true, timeout: 60_000 });
    t.teardown(() => agent.destroy());
    t.match(await ask(agent, server.port), { status: 200, isReused: false });
    t.match(await ask(agent, server.port), { status: 200, isReused: true }, 'the second request uses the same socket');
    await pause(8100);
    // The engine ends an idle connection 8 to 12 s after its last answer.
    t.match(await ask(agent, server.port), { status: 200, isReused: false }, 'after 8 s it does not');
  },
);

t.test('REL-31 fetch of Node, with and without Connection: close', async (t) => {
  const server = await openTestEdge();
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${server.port}/echo`;
  for (let n = 0; n < 20; n++) {
    const answer = await fetch(url, { method: 'POST', body: '{"email":"a"}' });
    t.equal(answer.status, 200);
    await answer.text();
  }
});

t.test('REL-31 the acceptor closes with notice too', async (t) => {
  const { openAcceptor } = await import('../../src/server/http/listen.js');
  const acceptor = await openAcceptor({ host: '127.0.0.1', port: 0 });
  t.teardown(() => acceptor.close());
  for (const headers of [[], ...ENDING]) {
    const socket = await RawSocket.connect((acceptor as { port: AddressInfo['port'] }).port);
    await socket.write(requestText('GET', '/health', { headers }));
    const answer = await socket.read();
    t.equal(answer.status, 503);
    t.same(
      answer.headers.filter(([name]) => name === 'connection').map(([, value]) => value),
      ['close'],
      JSON.stringify(headers),
    );
    t.equal(await socket.readToEnd(1000), '');
  }
});
