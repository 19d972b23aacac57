import { connect, createServer, type Socket } from 'node:net';
import type { Test } from './tap.js';

/** A proxy that delays all responses. */
export interface SlowProxy {
  readonly url: string;
  /** The delay of responses from now on. */
  delayMs: number;
}

/** @param t the proxy closes when this test ends */
export async function startSlowProxy(t: Pick<Test, 'teardown'>, url: string): Promise<SlowProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const own = new URL(url);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      // Timers of one length fire in order, so the bytes stay in order too.
      if (proxy.delayMs === 0) client.write(chunk);
      else setTimeout(() => client.destroyed || client.write(chunk), proxy.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own.port = String((server.address() as { port: number }).port);
  const proxy: SlowProxy = { url: own.href, delayMs: 0 };
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}
