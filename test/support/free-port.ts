import { createServer } from 'node:net';

/** A free port, for programs that cannot choose one and report it. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/**
 * A free port followed by two other ones, of a range from which no outgoing connection takes its own port: what runs
 * beside a test cannot take one in the meantime.
 */
export async function freePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + 4 * Math.floor(Math.random() * 3000);
    const isFree = await Promise.all([first, first + 1, first + 2].map(canListen));
    if (isFree.every(Boolean)) return first;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
