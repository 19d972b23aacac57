/**
 * Compiles TypeScript to dist, file by file, where a source is newer than its output. Types are not looked at, which
 * `npm run lint` does: tsc takes five times as long. The first step of `npm run build`, and so it is JavaScript.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT = 'dist';
/** The Dockerfile has the first alone. */
const FOLDERS = ['src', 'test', 'bench', 'clients'];
/** What decides how files are compiled, beside themselves. */
const SETTINGS = ['tsconfig.json', 'package-lock.json', 'src/dev/compile.mjs'];

/** @param {string} path from the root. @returns {number} when it was changed, in milliseconds; 0: it is not there */
const changedMs = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const settingsMs = Math.max(...SETTINGS.map(changedMs));

/** @param {string} path of a source. @returns {boolean} whether its output is missing or older */
function isDue(path) {
  const madeMs = changedMs(join(OUTPUT, path.replace(/\.ts$/, '.js')));
  return madeMs < Math.max(changedMs(path), settingsMs);
}

const sources = FOLDERS.filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((entry) => join(folder, String(entry))))
  // Those of src/web are bundled for browsers: src/dev/web/build.ts.
  .filter(
    (path) => path.endsWith('.ts') && !path.startsWith(join('src', 'web', sep)) && !path.includes('node_modules'),
  );

await build({
  absWorkingDir: root,
  entryPoints: sources.filter(isDue),
  outdir: OUTPUT,
  outbase: '.',
  format: 'esm',
  platform: 'node',
  sourcemap: true,
  logLevel: 'warning',
});
