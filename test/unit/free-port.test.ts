import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.js';
import { t } from '../support/tap.js';

const FREE_PORT = new URL('../support/free-port.js', import.meta.url).href;
const PORTS_OF_PART = 16;

/** What another process prints whose own part of the range is taken, and then the ports that it finds. */
const NEIGHBOUR = `
  import { createServer } from 'node:net';
  import { once } from 'node:events';
  const own = 20000 + ${PORTS_OF_PART} * (process.pid % 750);
  await once(createServer().listen(own, '127.0.0.1').on('error', () => {}), 'listening').catch(() => undefined);
  const { freePort } = await import('${FREE_PORT}');
  const ports = [];
  for (let count = 0; count < 12; count++) ports.push(await freePort());
  console.log(JSON.stringify({ own, ports }));
  process.exit();
`;

const partOf = (port: number): number => Math.floor(port / PORTS_OF_PART);

t.test('two processes never find the same port, even if their ids ask for the same part', async (t) => {
  const mine = new Set<number>();
  for (let count = 0; count < 12; count++) mine.add(partOf(await freePort()));
  t.equal(mine.size, 1, 'a process has one part');
  const run = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', NEIGHBOUR]);
  const { own, ports } = JSON.parse(run.stdout) as { own: number; ports: number[] };
  const others = new Set(ports.map(partOf));
  t.equal(others.size, 1);
  t.notOk(others.has(partOf(own)), 'the part that is taken');
  t.notOk(others.has([...mine][0]!), 'the part of this process');
});
