/**
 * Half of the processor time in which a server starts, 0.8 s with one thread and 1.7 s with two, goes to finding and reading the
 * 600 modules of each thread. So `npm test` starts servers of the same code in fewer files. `npm run test:full` without --rest and files
 * of which coverage is measured, in the first run of .ci/run, start the real ones, and so does what tests the launcher and the commands.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { BINARY_VARIABLE } from './binary.js';
import { TREE_ROOT } from './test-files.js';

/** Below the tree, so that packages are found. */
const DIRECTORY = join(TREE_ROOT, 'dist/bundled');
/** The binary, and what it starts as threads: name in the bundle → module, and how the module that starts it spells that. */
const ENTRIES = {
  main: { path: 'dist/src/server/main.js', spelling: '../dist/src/server/main.js' },
  thread: { path: 'dist/src/server/runtime/thread.js', spelling: './thread.js' },
  crypto: { path: 'dist/src/workers/crypto.worker.js', spelling: './crypto.worker.js' },
};

/**
 * Modules find files by their own place, and threads by that of the module that starts them.
 * @param led collects the names of threads that are found in the bundle
 */
function keepPlace(path: string, led: Set<string>): string {
  let text = readFileSync(path, 'utf8');
  for (const [name, { spelling }] of Object.entries(ENTRIES)) {
    const bundled = JSON.stringify(pathToFileURL(join(DIRECTORY, `${name}.js`)).href);
    const parts = text.split(`new URL("${spelling}", import.meta.url)`);
    if (parts.length > 1) led.add(name);
    text = parts.join(`new URL(${bundled})`);
  }
  return text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
}

/** Another run of the same tree may be reading it. */
function writeChanged(path: string, contents: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

/** Bundles what the build has written. Packages stay as they are. @returns the variables by which test files find it */
export async function bundleBinary(): Promise<Readonly<Record<string, string>>> {
  const led = new Set<string>();
  const { outputFiles } = await build({
    absWorkingDir: TREE_ROOT,
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, { path }]) => [name, path])),
    outdir: DIRECTORY,
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'places',
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, ({ path }) => ({
            contents: keepPlace(path, led),
            loader: 'js',
          }));
        },
      },
    ],
  });
  for (const name of ['thread', 'crypto']) {
    if (!led.has(name)) throw new Error(`No module of dist starts ${name} as bundle-binary.ts expects it`);
  }
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  const real = readFileSync(join(TREE_ROOT, 'bin/latchkey.cjs'), 'utf8');
  const launcher = join(DIRECTORY, 'latchkey.cjs');
  writeChanged(launcher, real.replace(`import('${ENTRIES.main.spelling}')`, "import('./main.js')"));
  return { [BINARY_VARIABLE]: launcher };
}
