import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Ports for programs that cannot choose one and report it. They are of a range from which no outgoing connection takes its own
 * port. Each process listens on the first port of a part of that range for as long as it lives, which keeps the others of that
 * part from other test processes, those of another run included: what runs beside a test cannot take one before it is bound.
 */
const FIRST = 20_000;
const PORTS_OF_PART = 16;
/** From 20,000 to 31,999: Linux takes the ports of connections from 32,768 on. */
const PARTS = 750;
const BLOCK = 3;
const BLOCKS_OF_PART = 5;

let first: Promise<number> | undefined;
let blocksTaken = 0;

export const freePort = (): Promise<number> => freePorts();

/** @returns a free port followed by two other ones */
export async function freePorts(): Promise<number> {
  first ??= takePart();
  const start = (await first) + 1;
  for (let tries = 0; tries < BLOCKS_OF_PART; tries++) {
    const port = start + BLOCK * (blocksTaken++ % BLOCKS_OF_PART);
    const isFree = await Promise.all([port, port + 1, port + 2].map(canListen));
    if (isFree.every(Boolean)) return port;
  }
  // Servers hold all of them; the part stays this process's own.
  first = undefined;
  return freePorts();
}

/** @returns the first port of a part that no other process has */
async function takePart(): Promise<number> {
  for (let tries = 0; tries < PARTS; tries++) {
    const port = FIRST + PORTS_OF_PART * ((process.pid + tries) % PARTS);
    const guard = await listen(port);
    guard?.unref();
    if (guard) return port;
  }
  throw new Error('Test processes hold all ports from 20,000 to 31,999');
}

async function canListen(port: number): Promise<boolean> {
  const server = await listen(port);
  if (!server) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** @returns undefined if something else has the port */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server: Server = createServer()
      .once('error', () => resolve(undefined))
      .listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}
