import { createServer } from 'node:net';

/**
 * Ports for programs that cannot choose one and report it. They are of a range from which no outgoing connection takes its own
 * port, and each test process has blocks of its own in it: what runs beside a test cannot take one before it is bound.
 */
const FIRST = 20_000;
const BLOCK = 4;
/** From 20,000 to 31,999: Linux takes the ports of connections from 32,768 on. */
const PROCESSES = 750;
const BLOCKS_OF_PROCESS = 4;

let blocksTaken = 0;

export const freePort = (): Promise<number> => freePorts();

/** @returns a free port followed by two other ones */
export async function freePorts(): Promise<number> {
  for (let tries = 0; ; tries++) {
    // Blocks of another process only where something else holds all of its own.
    const owner = process.pid + (tries < BLOCKS_OF_PROCESS ? 0 : Math.floor(Math.random() * PROCESSES));
    const block = (owner % PROCESSES) + PROCESSES * (blocksTaken++ % BLOCKS_OF_PROCESS);
    const first = FIRST + BLOCK * block;
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
