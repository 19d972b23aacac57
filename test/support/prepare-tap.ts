import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { TREE_ROOT } from './test-files.js';

/**
 * tap applies the plugins of .taprc only from its second run on. Without this, each test process of a clean clone would
 * load a TypeScript compiler that it does not need, 1.3 s of processor time.
 */
export async function prepareTap(): Promise<void> {
  if (existsSync(join(TREE_ROOT, '.tap/plugins'))) return;
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('tap/package.json');
  const tap = join(dirname(manifest), require(manifest).bin.tap as string);
  await once(spawn(process.execPath, [tap, 'build'], { cwd: TREE_ROOT, stdio: 'ignore' }), 'exit');
}
