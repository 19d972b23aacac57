import net, { type AddressInfo } from 'node:net';
import type { Test } from './tap.js';

const SYNC = 'S'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);

export interface TripCounter {
  /** Where a server finds the database through the counter. */
  readonly url: string;
  /**
   * @returns the trips of some work. The server has its own from time to time, and prepares what is new: the least of a
   *   few counts is meant
   */
  during(work: () => Promise<unknown>): Promise<number>;
}

/** A proxy before Postgres that counts what the server waits for: a Sync or a simple query ends each trip. */
export async function openTripCounter(t: Test, target: URL): Promise<TripCounter> {
  let trips = 0;
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => [client, upstream].map((one) => one.destroy()));
    }
    let pending = Buffer.alloc(0);
    // The first message has no type, only its length.
    let isStarted = false;
    client.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (pending.length < head + 4) return;
        const size = head + pending.readUInt32BE(head);
        if (pending.length < size) return;
        if (isStarted && (pending[0] === SYNC || pending[0] === QUERY)) trips++;
        isStarted = true;
        pending = pending.subarray(size);
      }
    });
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    async during(work: () => Promise<unknown>): Promise<number> {
      const before = trips;
      await work();
      return trips - before;
    },
  };
}
