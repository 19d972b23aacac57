import { createServer } from 'node:net';

/** A port nobody listens on, for programs that cannot choose one themselves and say which. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
