import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const LIMIT = 256;

const hasLimits = (): boolean => {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

t.test(`REL-22: a limit of ${LIMIT} descriptors is reached: no exit, and normal service 2 s later`, async (t) => {
  if (!hasLimits()) return skipHere(t, missingProgram('prlimit', 'util-linux'));
  const { url } = await createTestDatabase(t);
  const server = await spawnServer(t, url, { CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '8' });
  while ((await call(server.url, 'GET', '/health/ready')).status !== 200) await pause(50);
  execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${LIMIT}:${LIMIT}`]);
  const email = freshEmail();
  t.equal((await call(server.url, 'POST', '/signup', { body: { email, password } })).status, 200);
  const countOpen = (): number => readdirSync(`/proc/${server.pid}/fd`).length;
  const before = countOpen();

  // Connections that are accepted take descriptors; those beyond wait in the kernel, unserved.
  const crowd: net.Socket[] = [];
  const leave = (): void => {
    for (const socket of crowd) socket.destroy();
  };
  t.teardown(leave);
  for (let n = 0; n < LIMIT + 100; n++) {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    crowd.push(socket);
  }
  while (countOpen() < LIMIT - 1) await pause(20);
  t.pass(`${before} descriptors at rest, ${countOpen()} now`);
  // No new client is accepted, and no descriptor is free inside: the pool may want one more connection.
  const inside = crowd[0]!;
  inside.write('GET /settings HTTP/1.1\r\nHost: a\r\n\r\n');
  const answer = await new Promise<Buffer>((resolve) => inside.once('data', resolve));
  t.match(answer.toString('latin1'), /^HTTP\/1\.1 200 /, 'who is in is served');
  await pause(1500);
  t.ok(countOpen() >= LIMIT - 1, 'still full');

  leave();
  const leftMs = performance.now();
  await pause(2000);
  const sentMs = performance.now();
  const [signIn, ready] = await Promise.all([
    call(server.url, 'POST', '/token?grant_type=password', { body: { email, password } }),
    call(server.url, 'GET', '/health/ready'),
  ]);
  t.equal(signIn.status, 200, `normal ${Math.round(sentMs - leftMs)} ms after`);
  t.equal(ready.status, 200);
  t.ok(countOpen() < before + 20, `${countOpen()} descriptors at rest again`);
  t.match(await server.stop(), { code: 0 }, 'it never exited');
});
