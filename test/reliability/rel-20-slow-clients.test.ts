import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { checkStatuses, startSlowClients } from '../support/slow-client-process.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

/** Each kind of them. What they cost other clients in time, and 2,000 of them: slow-clients-latency.alone.test.ts. */
const SLOW_CLIENTS = 250;
const BETWEEN_REQUESTS_MS = 50;

t.test(`REL-20: ${2 * SLOW_CLIENTS} slow clients are closed, and every other client is served meanwhile`, async (t) => {
  const { url } = await createTestDatabase(t);
  const server = await spawnServer(t, url);
  await until(async () => (await call(server.url, 'GET', '/health/ready')).status === 200);
  const signUp = await call(server.url, 'POST', '/signup', { body: { email: freshEmail(), password } });
  const bearer = signUp.body.access_token;
  const kinds = (['head', 'body'] as const).map((kind) => startSlowClients(t, server.port, kind, SLOW_CLIENTS));
  await Promise.all(kinds.map(({ isOpen }) => isOpen));
  let isEnded = false;
  const ends = Promise.all(kinds.map(({ ended }) => ended)).finally(() => {
    isEnded = true;
  });
  const statuses = new Set<number>();
  let count = 0;
  while (!isEnded) {
    statuses.add((await call(server.url, 'GET', '/user', { bearer })).status);
    count += 1;
    await pause(BETWEEN_REQUESTS_MS);
  }
  t.same([...statuses], [200], `${count} requests of another client`);
  for (const end of await ends) checkStatuses(t, end);
  t.match(await server.stop(), { code: 0 });
});
