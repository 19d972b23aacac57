import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chooseRunner } from '../../src/dev/postgres-binaries.js';
import { findRunning, PLAIN_ENVIRONMENT, stopServer, superviseServer } from '../../src/dev/postgres-process.js';
import { freePort } from './free-port.js';
import { makeScratchDirectory } from './postgres.js';
import type { Test } from './tap.js';

/** A Postgres installed on this machine, in the directory Debian and its kin use. */
export interface SystemPostgres {
  readonly bin: string;
  readonly version: string;
}

export function findSystemPostgres(): SystemPostgres | undefined {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return undefined;
  const oldest = readdirSync(root)
    .filter((version) => Number(version) >= 13 && existsSync(join(root, version, 'bin', 'initdb')))
    .sort((a, b) => Number(a) - Number(b))[0];
  return oldest === undefined ? undefined : { bin: join(root, oldest, 'bin'), version: oldest };
}

/** @returns a superuser's URL; the server ends with the test */
export async function startSystemPostgres(test: Test, system: SystemPostgres): Promise<string> {
  return (await startPrimary(test, system)).url;
}

/** A server that may be killed; it ends with the test. */
export async function startPrimary(test: Test, { bin }: SystemPostgres): Promise<PostgresNode> {
  const directory = makeScratchDirectory();
  test.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const data = join(directory, 'data');
  const runner = chooseRunner(data);
  mkdirSync(data, { mode: 0o700 });
  if (runner.uid !== undefined && runner.gid !== undefined) chownSync(data, runner.uid, runner.gid);
  execFileSync(
    join(bin, 'initdb'),
    [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    {
      ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid as number }),
      cwd: '/',
      env: PLAIN_ENVIRONMENT,
      stdio: 'ignore',
    },
  );
  return startOn(test, bin, data);
}

export interface PostgresNode {
  readonly url: string;
  /** kill -9, as the machine would die. */
  crash(): Promise<void>;
}

/** A streaming replica. @param primaryUrl of {@link startSystemPostgres}. @returns when it accepts reads; it ends with the test */
export async function startStandby(test: Test, { bin }: SystemPostgres, primaryUrl: string): Promise<PostgresNode> {
  const directory = makeScratchDirectory();
  test.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const data = join(directory, 'data');
  const runner = chooseRunner(data);
  mkdirSync(data, { mode: 0o700 });
  if (runner.uid !== undefined && runner.gid !== undefined) chownSync(data, runner.uid, runner.gid);
  execFileSync(
    join(bin, 'pg_basebackup'),
    [`--pgdata=${data}`, `--dbname=${primaryUrl}`, '--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast'],
    {
      ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid as number }),
      cwd: '/',
      env: PLAIN_ENVIRONMENT,
      stdio: 'ignore',
    },
  );
  return startOn(test, bin, data);
}

async function startOn(test: Test, bin: string, data: string): Promise<PostgresNode> {
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    // Else a server that is killed leaves its shared memory in /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    port,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(bin, 'postgres'), '-D', data, ...flags];
  const child = await superviseServer(command, chooseRunner(data), () => undefined);
  test.teardown(() => stopServer(child, data));
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async crash() {
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.ref();
      process.kill(findRunning(data)!.pid, 'SIGKILL');
      await exited;
    },
  };
}
