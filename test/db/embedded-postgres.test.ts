import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { canReach, chooseRunner, prepareBinaries } from '../../src/dev/postgres-binaries.js';
import { findRunning, waitUntilGone } from '../../src/dev/postgres-process.js';
import { skipHere } from '../support/not-here.js';
import { makeScratchDirectory, placeOfDatabases, withAdmin } from '../support/postgres.js';
import { onlyInFull, type Test, t } from '../support/tap.js';

onlyInFull('a dozen starts of Postgres; every run of tests starts one, and so does dev-defaults');

const log = { debug: () => undefined, info: () => undefined };
const entry = fileURLToPath(new URL('../support/postgres-in-process.js', import.meta.url));

function scratch(t: Test): string {
  const directory = makeScratchDirectory(placeOfDatabases());
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Of a database that was made and stopped before, for the tests that are not about the first start: to make one takes longest. */
let made: string | undefined;

/** @returns a directory with a database of its own, stopped */
async function copyMade(test: Test): Promise<string> {
  if (made === undefined) {
    const directory = scratch(t);
    await (await startEmbeddedPostgres({ directory, log, isThrowaway: true })).stop();
    made = directory;
  }
  const directory = scratch(test);
  // With their owner, who may be the user that runs Postgres for root.
  execFileSync('cp', ['-a', `${made}/.`, directory]);
  return directory;
}

async function start(t: Test, directory: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, log, isThrowaway: true });
  t.teardown(() => server.stop());
  return server;
}

const ask = async (url: string, sql: string): Promise<Record<string, unknown>[]> =>
  withAdmin(url, async (admin) => (await admin.query(sql)).rows);

/** Starts a database in a process of its own. */
async function startElsewhere(directory: string, user?: number): Promise<{ child: ChildProcess; url: string }> {
  // Without tap's hooks in the environment: they write into the checkout, where another user may not.
  const child = spawn('/usr/bin/env', ['-i', process.execPath, entry, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

t.test('data and port stay, and only the owner can read the password', async (t) => {
  const directory = join(scratch(t), 'made', 'on', 'demand');
  const first = await start(t, directory);
  await ask(first.url, 'create table kept as select 1 as a');
  await first.stop();
  await first.stop();
  const second = await start(t, directory);
  t.equal(second.port, first.port);
  t.equal(second.url, first.url);
  t.same(await ask(second.url, 'select a from kept'), [{ a: 1 }]);
  t.same(await ask(second.url, 'show listen_addresses'), [{ listen_addresses: '127.0.0.1' }]);
  t.equal(statSync(join(directory, 'password')).mode & 0o777, 0o600);
  const wrong = new URL(second.url);
  wrong.password = 'guess';
  await t.rejects(ask(wrong.href, 'select 1'), { code: '28P01' });
});

t.test('after kill -9 the next server starts', async (t) => {
  const directory = await copyMade(t);
  const first = await start(t, directory);
  await ask(first.url, 'create table kept as select 1 as a');
  process.kill(findRunning(join(directory, 'data'))?.pid ?? 0, 'SIGKILL');
  await pause(50);
  t.ok(existsSync(join(directory, 'data', 'postmaster.pid')));
  const second = await start(t, directory);
  t.equal((await ask(second.url, 'select 1 as a')).length, 1);
});

t.test('a second start on the same directory names the running process', async (t) => {
  const directory = await copyMade(t);
  const { port } = await start(t, directory);
  await t.rejects(start(t, directory), new RegExp(`process \\d+, port ${port}\\) already runs on`));
});

t.test('two first starts at once do not disturb each other', async (t) => {
  const directory = scratch(t);
  const results = await Promise.allSettled([start(t, directory), start(t, directory)]);
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

t.test('it ends with the process that started it, kill -9 included', async (t) => {
  const directory = await copyMade(t);
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { child, url } = await startElsewhere(directory);
    t.equal((await ask(url, 'select 1')).length, 1);
    child.kill(signal);
    t.ok(await waitUntilGone(join(directory, 'data'), 10_000), signal);
  }
});

t.test('an orphaned server is replaced without an error', async (t) => {
  const directory = await copyMade(t);
  const data = join(directory, 'data');
  const first = await start(t, directory);
  await first.stop();
  const runner = chooseRunner(data);
  const { postgres } = await prepareBinaries(runner, () => directory);
  const flags = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${first.port}`].flatMap((flag) => [
    '-c',
    flag,
  ]);
  const orphan = spawn(postgres, ['-D', data, ...flags], {
    ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid }),
    stdio: 'ignore',
  });
  while (findRunning(data) === undefined) await pause(20);
  t.equal(findRunning(data)?.isSupervised, false);
  const next = await start(t, directory);
  t.equal((await ask(next.url, 'select 1')).length, 1);
  t.not(findRunning(data)?.pid, orphan.pid);
  t.ok(findRunning(data)?.isSupervised);
});

t.test('a port that was taken meanwhile is replaced', async (t) => {
  const directory = await copyMade(t);
  const first = await start(t, directory);
  await first.stop();
  const server = createServer().listen(first.port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const second = await start(t, directory);
  t.not(second.port, first.port);
});

t.test('without the development packages the error names the solution', async (t) => {
  const directory = scratch(t);
  cpSync(fileURLToPath(new URL('../../src/dev/', import.meta.url)), directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const { findNative } = await import(join(directory, 'postgres-binaries.js'));
  t.throws(findNative, /is a development package\. Run npm ci \(without --omit=dev\), or set DATABASE_URL/);
});

const isRoot = process.getuid?.() === 0;

t.test('root: a directory Postgres cannot enter is replaced by one it can', async (t) => {
  if (!isRoot) return skipHere(t, 'only root can make a directory that Postgres cannot enter');
  const hidden = scratch(t);
  chmodSync(hidden, 0o700);
  const logged: object[] = [];
  const directory = join(hidden, 'data of mine');
  const server = await startEmbeddedPostgres({
    directory,
    log: { ...log, info: (fields) => void logged.push(fields) },
    isThrowaway: true,
  });
  t.teardown(async () => {
    await server.stop();
    rmSync(server.directory, { recursive: true, force: true });
  });
  t.not(server.directory, directory);
  t.same(logged, [{ directory: server.directory }]);
  t.equal((await ask(server.url, 'select 1')).length, 1);
});

t.test('an unprivileged user starts it alone', async (t) => {
  const unprivileged = { uid: 65534, gid: 65534 };
  if (!isRoot) return skipHere(t, 'only root can start it as another user');
  // Root may keep its checkout, or its node, that other users cannot reach.
  if (!canReach(entry, unprivileged) || !canReach(process.execPath, unprivileged)) {
    return skipHere(t, 'another user cannot enter the directory of this checkout, or of its node');
  }
  const directory = join(scratch(t), 'unprivileged');
  mkdirSync(directory, { mode: 0o700 });
  chownSync(directory, unprivileged.uid, unprivileged.gid);
  const { child, url } = await startElsewhere(directory, unprivileged.uid);
  t.equal((await ask(url, 'select 1')).length, 1);
  t.equal(statSync(join(directory, 'data')).uid, unprivileged.uid);
  child.kill('SIGTERM');
  t.ok(await waitUntilGone(join(directory, 'data'), 10_000));
  t.equal(chooseRunner(join(directory, 'data')).uid, unprivileged.uid, 'root goes on as the owner of the data');
});
