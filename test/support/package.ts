import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './source-tree.js';

const run = promisify(execFile);

/** Runs `npm pack` on the build. @returns the path of the tarball */
export async function packPackage(directory: string): Promise<string> {
  const options = ['--ignore-scripts', '--json', '--pack-destination', directory];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: repository });
  return join(directory, JSON.parse(stdout)[0].filename);
}

/**
 * Installs a tarball into an empty folder as npm would, without a registry: each package that production needs is a link
 * to that of the repository.
 */
export async function installOffline(tarball: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'latchkey'), { recursive: true });
  mkdirSync(join(modules, '.bin'));
  writeFileSync(join(folder, 'package.json'), '{}');
  await run('tar', ['xzf', tarball, '--strip-components=1', '-C', join(modules, 'latchkey')]);
  const { bin } = JSON.parse(readFileSync(join(modules, 'latchkey/package.json'), 'utf8'));
  symlinkSync(join('../latchkey', bin.latchkey), join(modules, '.bin/latchkey'));
  const { packages } = JSON.parse(readFileSync(`${repository}package-lock.json`, 'utf8'));
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    if (dev || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || !existsSync(repository + path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(repository + path, join(folder, path));
  }
}
