import { setTimeout as pause } from 'node:timers/promises';
import { backendsOf, createTestDatabase } from '../support/database.js';
import { faultEnvironment } from '../support/faults.js';
import { spawnServer } from '../support/process.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { t } from '../support/tap.js';

t.test('Server threads: one that fails is replaced within seconds while the other continues', async (t) => {
  const database = await createTestDatabase(t);
  const settings = { SERVER_THREADS: '2', CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '2' };
  const server = await spawnServer(t, database.url, settings, faultEnvironment('thread-exception'));
  const ask = async () => (await exchangeRaw(server.port, requestText('GET', '/health/ready'))).status;
  while ((await backendsOf(database)).length < 2) await ask();
  const before = await backendsOf(database);

  server.signal('SIGUSR2');
  const failedMs = performance.now();
  let replacedMs = 0;
  let asked = 0;
  while (replacedMs === 0 && performance.now() - failedMs < 10_000) {
    t.equal(await ask(), 200, 'served meanwhile');
    asked += 1;
    if (server.lines.some((line) => line.includes('The server thread is replaced'))) replacedMs = performance.now();
    await pause(5);
  }
  const tookMs = replacedMs - failedMs;
  t.comment(`replaced after ${Math.round(tookMs)} ms, ${asked} requests meanwhile`);
  // About a second where two processors are free: starting a thread is computing.
  t.ok(replacedMs > 0 && tookMs < 5000, `${Math.round(tookMs)} ms`);
  const startedMs = performance.now();
  for (;;) {
    await ask();
    const now = await backendsOf(database);
    if (now.length === 2 && now.some((pid) => !before.includes(pid))) break;
    if (performance.now() - startedMs > 10_000) t.fail('the new thread gets nothing to do');
    await pause(100);
  }
  t.same(await server.stop(), { code: 0, signal: null });
});
