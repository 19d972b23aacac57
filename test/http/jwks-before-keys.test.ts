/** With keys in the database, the key set is 503 until they were read once: an empty set would be kept by verifiers. */
import { connect, createServer, type Socket } from 'node:net';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { spawnServer } from '../support/process.js';
import { runCommand } from '../support/run-command.js';
import { call, testEnvironment } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

/** Leads a port of this machine to a database, from the call on. */
async function openWay(t: Test, port: number, databaseUrl: string): Promise<{ close(): void }> {
  const sockets = new Set<Socket>();
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  t.teardown(close);
  return { close };
}

t.test('503 before the first look at the keys, then the keys, also while the database is away', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const stored = { JWT_KEYS_SOURCE: 'database' };
  const made = await runCommand(
    ['keys', 'rotate', '--kid', 'first'],
    testEnvironment(databaseUrl, stored),
    '/dev/null',
  );
  t.equal(made.code, 0, made.err);
  const port = await freePort();
  const way = new URL(databaseUrl);
  way.port = String(port);
  const server = await spawnServer(t, way.href, { ...stored, DB_ACQUIRE_TIMEOUT: '1s' });
  const jwks = () => call(server.url, 'GET', '/.well-known/jwks.json');
  for (let tries = 0; tries < 5; tries++) {
    const { status, headers, body } = await jwks();
    t.equal(status, 503);
    t.notOk(headers.get('etag'));
    t.notMatch(headers.get('cache-control') ?? '', /max-age=[1-9]/, 'no cache keeps it');
    t.notOk('keys' in body);
  }
  const opened = await openWay(t, port, databaseUrl);
  await until(async () => (await jwks()).status === 200);
  t.match((await jwks()).body, { keys: [{ kid: 'first' }] });
  opened.close();
  for (let tries = 0; tries < 3; tries++) t.match(await jwks(), { status: 200, body: { keys: [{ kid: 'first' }] } });
  t.equal((await server.stop()).code, 0);
});
