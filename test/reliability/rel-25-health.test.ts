import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { openTestServer } from '../support/server.js';
import { type Test, t } from '../support/tap.js';

/** What readiness remembers is forgotten after so long. */
const SECOND_MS = 1100;
const MOST_TRIES = 5;

/** Stands between server and Postgres and counts what the server sends. */
async function openCounter(t: Test, databaseUrl: string) {
  const target = new URL(databaseUrl);
  const counted = { messages: 0 };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const cut = (): void => void [client, upstream].forEach((socket) => void socket.destroy());
    for (const socket of [client, upstream]) socket.on('error', cut).on('close', cut);
    client.on('data', () => {
      counted.messages += 1;
    });
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return { url: url.href, counted };
}

t.test('REL-25 liveness makes no query; readiness makes at most one a second', async (t) => {
  const database = await createTestDatabase(t);
  const { url, counted } = await openCounter(t, database.url);
  const { call, server } = await openTestServer(t, { DB_DATABASE_URL: url });
  t.equal((await call('GET', '/health/ready')).status, 200);
  // Background work asks the database now and then, but not beside every burst.
  let isSilent = false;
  for (let tries = 0; tries < MOST_TRIES && !isSilent; tries++) {
    await pause(SECOND_MS);
    const before = counted.messages;
    await Promise.all(Array.from({ length: 200 }, () => call('GET', '/health')));
    isSilent = counted.messages === before;
  }
  t.ok(isSilent, 'liveness');

  await pause(SECOND_MS);
  const asleep = counted.messages;
  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: 300 }, () => call('GET', '/health/ready')));
  const seconds = Math.ceil((performance.now() - begun) / 1000);
  t.ok(answers.every(({ status, body }) => status === 200 && body.ready === true));
  const asked = counted.messages - asleep;
  t.ok(asked >= 1 && asked <= 2 * seconds, `${asked} messages for 300 requests`);
  await server.stop(1);
});
