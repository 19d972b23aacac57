/** An address that can be moved from one database server to another, like a floating IP. */
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from './tap.js';

export interface SwitchingProxy {
  readonly url: string;
  /** Sends new connections there. */
  pointTo(url: string): void;
  /**
   * From now on existing connections carry nothing and stay open, as if a machine had lost its power. New ones are not
   * affected.
   */
  blackHole(): void;
}

export async function startSwitchingProxy(t: Test, firstUrl: string): Promise<SwitchingProxy> {
  let target = new URL(firstUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const cut = (): void => {
      if (!pairs.delete(pair)) return;
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on('error', cut).on('close', cut);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lost: Socket[] = [];
  t.teardown(() => {
    for (const socket of [...pairs].flat().concat(lost)) socket.destroy();
    server.close();
  });
  const own = new URL(firstUrl);
  own.port = String((server.address() as { port: number }).port);
  return {
    url: own.href,
    pointTo(url) {
      target = new URL(url);
    },
    blackHole() {
      for (const pair of [...pairs]) {
        pairs.delete(pair);
        const [client, upstream] = pair;
        client.unpipe(upstream).resume();
        upstream.unpipe(client).resume();
        lost.push(client, upstream);
      }
    },
  };
}
