import { setTimeout as pause } from 'node:timers/promises';
import { keepConnection } from '../support/keep-alive.js';
import { spawnReloadingServer } from '../support/reload.js';
import { runCommand } from '../support/run-command.js';
import { call, freshEmail, password, testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull('load on two threads while keys change; that no token is refused: signing-keys, stored-keys');

/** Between the turns of a client. */
const TURN_MS = 20;

const kidOf = (token: string): string | undefined =>
  JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid;

t.test('keys in the database on two threads: rotations and reloads refuse no token', async (t) => {
  const server = await spawnReloadingServer(t, {
    settings: { JWT_KEYS_SOURCE: 'database', SERVER_THREADS: '2', CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '8' },
    files: { 'latchkey.env': 'AUTH_DISABLE_SIGNUP=false\n' },
    args: (directory) => ['-c', `${directory}/latchkey.env`],
  });
  const environment = testEnvironment(server.database.url, { JWT_KEYS_SOURCE: 'database' });
  const rotate = async (kid: string) => {
    const { code, err } = await runCommand(['keys', 'rotate', '--wait', '1s', '--kid', kid], environment, '/dev/null');
    t.equal(code, 0, err);
  };
  let isDone = false;
  const statuses = new Map<number, number>();
  const kids: (string | undefined)[] = [];
  // The connections of a client are on both threads: what one signs, the other verifies at once.
  const clients = Array.from({ length: 4 }, async () => {
    const email = freshEmail();
    let { body: session } = await call(server.url, 'POST', '/signup', { body: { email, password } });
    const connections = [await keepConnection(server.port), await keepConnection(server.port)];
    for (let n = 0; !isDone; n++) {
      const { refresh_token } = session;
      const refreshed = await connections[n % 2]!.send('POST', '/token?grant_type=refresh_token', { refresh_token });
      if (refreshed.status === 200) session = refreshed.body;
      const user = await connections[(n + 1) % 2]!.send('GET', '/user', undefined, session.access_token);
      for (const { status } of [refreshed, user]) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      kids.push(kidOf(session.access_token));
      await pause(TURN_MS);
    }
    for (const connection of connections) connection.close();
  });
  const signsEverywhere = (kid: string) =>
    until(async () => kids.length >= 40 && kids.slice(-40).every((used) => used === kid));
  for (const [index, kid] of ['first', 'second'].entries()) {
    await rotate(kid);
    await signsEverywhere(kid);
    await server.write('latchkey.env', `AUTH_DISABLE_SIGNUP=${index === 0}\n`);
    server.signal('SIGHUP');
    await server.waitFor('The configuration was reloaded', index + 1);
    const from = kids.length;
    await until(async () => kids.length > from + 100);
    t.same([...new Set(kids.slice(from + 8))], [kid], 'a reload keeps the key that signs');
  }
  isDone = true;
  await Promise.all(clients);
  t.same([...statuses.keys()], [200], `${statuses.get(200)} requests`);
});
