import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Launch } from './process.js';

const run = promisify(execFile);
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** What Node and the HTTP engine load. */
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'];

/** @returns e.g. 2.36; undefined where the C library is not glibc */
export function readGlibcVersion(): number | undefined {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? undefined : Number(header.glibcVersionRuntime);
}

/** @returns why no tree can be made on this machine, if so */
export const findTreeObstacle = (): string | undefined =>
  process.getuid?.() === 0 && existsSync(KEYRING) ? undefined : 'only root on Debian can make a Debian 13 tree';

/**
 * Unpacks the C libraries of Debian 13 into a directory, in which programs for it can run.
 * @throws when Debian's archive cannot be reached
 */
export async function makeDebianTree(directory: string, signal: AbortSignal): Promise<void> {
  const apt = join(directory, 'apt');
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, name), { recursive: true });
  for (const name of ['proc', 'dev', 'tmp']) mkdirSync(join(directory, name));
  for (const name of ['lib', 'lib64']) symlinkSync(`usr/${name}`, join(directory, name));
  // The mirror that this machine uses.
  const format = ['indextargets', '--format', '$(REPO_URI) $(ORIGIN) $(COMPONENT)', 'Created-By: Packages'];
  const mirror = /^(\S+) Debian main$/m.exec((await run('apt-get', format, { signal })).stdout)?.[1];
  if (mirror === undefined) throw new Error('apt-get has no mirror of Debian');
  writeFileSync(join(apt, 'sources'), `deb [signed-by=${KEYRING}] ${mirror} trixie main\n`);
  const settings = {
    'Dir::Etc::SourceList': join(apt, 'sources'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State': apt,
    'Dir::State::status': '/dev/null',
    'Dir::Cache': apt,
    'APT::Sandbox::User': 'root',
    'APT::Update::Error-Mode': 'any',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', [...options, 'update', '-qq'], { signal });
  await run('apt-get', [...options, 'download', '-qq', ...PACKAGES], { signal, cwd: apt });
  const files = readdirSync(apt).filter((name) => name.endsWith('.deb'));
  for (const file of files) await run('dpkg-deb', ['-x', join(apt, file), directory], { signal });
}

/** Runs a command with a tree as its root, in a mount namespace that ends with it. Paths are those within the tree. */
export const launchInTree = (tree: string, ...command: readonly string[]): Launch => ({
  command: [
    ...(['unshare', '--mount', 'sh', '-c'] as const),
    'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"',
    tree,
    ...command,
  ],
  cwd: tree,
});
