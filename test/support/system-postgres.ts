import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { chooseRunner } from '../../src/dev/postgres-binaries.js';
import { PLAIN_ENVIRONMENT, stopServer, superviseServer } from '../../src/dev/postgres-process.js';
import { freePort } from './free-port.js';
import { makeScratchDirectory } from './postgres.js';

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
export async function startSystemPostgres(test: Test, { bin }: SystemPostgres): Promise<string> {
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
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', port };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = await superviseServer([join(bin, 'postgres'), '-D', data, ...flags], runner, () => undefined);
  test.teardown(() => stopServer(child, data));
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}
