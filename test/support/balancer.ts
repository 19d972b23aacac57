/** A small HTTP load balancer: takes the next server if one refuses the connection, and sends nothing twice. */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MOST_IDLE_MS } from './plain-request.js';
import type { Test } from './tap.js';

/** @param upstreams ports on this machine. @returns the port it listens on, plain HTTP; it ends with the test */
export async function startBalancer(t: Test, upstreams: readonly number[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, timeout: MOST_IDLE_MS });
  let turn = 0;

  function pass(from: IncomingMessage, body: Buffer, to: ServerResponse, triesLeft: number): void {
    const port = upstreams[turn++ % upstreams.length]!;
    const headers = { ...from.headers, 'x-real-ip': '127.0.0.1' };
    const outgoing = request({ host: '127.0.0.1', port, agent, method: from.method, path: from.url, headers });
    outgoing.on('response', (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => to.destroy());
      answer.pipe(to);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const wasSent = error.code !== 'ECONNREFUSED' && !(from.method === 'GET' && from.url === '/user');
      if (!wasSent && triesLeft > 0) pass(from, body, to, triesLeft - 1);
      else if (!to.headersSent) to.writeHead(502).end();
    });
    outgoing.end(body);
  }

  const server = createServer((from, to) => {
    const chunks: Buffer[] = [];
    from.on('data', (chunk) => void chunks.push(chunk));
    from.on('end', () => pass(from, Buffer.concat(chunks), to, upstreams.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  return (server.address() as AddressInfo).port;
}
