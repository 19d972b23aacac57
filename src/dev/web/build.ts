/**
 * Builds what browsers load for the hosted pages and the console, and checks the texts of the pages: minified, compressed,
 * with a hash in each name. Part of `npm run build`, which does it where something in src is newer than what it made.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './build-console.js';
import { isNewerThanAll } from './newer.js';
import { compress } from './packed.js';
import { findTextFaults } from './text-faults.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const source = join(root, 'src/web');
const target = join(root, 'dist/src/web');

/** Most bytes of each file, compressed by brotli. */
const budgets: Readonly<Record<string, number>> = { 'hosted.ts': 6 * 1024, 'hosted.css': 6 * 1024 };

/** Name in the sources → name that is served. */
const manifest: Record<string, string> = {};

/** Written when all else is, so that a build that failed is made again. */
const stamp = join(target, 'built');

if (!isNewerThanAll(stamp, [join(root, 'src'), join(root, 'package-lock.json')])) await buildAll();

async function buildAll(): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const name of Object.keys(budgets)) await bundle(name);
  writeFileSync(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);

  const texts = join(source, 'texts');
  const languages = readdirSync(texts).map(
    (name) => [name, JSON.parse(readFileSync(join(texts, name), 'utf8'))] as const,
  );
  const faults = findTextFaults(Object.fromEntries(languages));
  if (faults.length > 0) throw new Error(`Texts of the pages:\n${faults.join('\n')}`);
  cpSync(texts, join(target, 'texts'), { recursive: true });
  await buildConsole(source, join(target, 'console'), root);
  writeFileSync(stamp, '');
}

async function bundle(name: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(source, name)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2020', 'chrome100', 'firefox100', 'safari15.4'],
    logLevel: 'warning',
  });
  const bytes = outputFiles[0]!.contents;
  const packed = compress(bytes);
  const budget = budgets[name]!;
  if (packed.length > budget) throw new Error(`${name} has ${packed.length} bytes compressed, more than ${budget}`);
  const [stem, extension] = [name.slice(0, -extname(name).length), name.endsWith('.ts') ? '.js' : extname(name)];
  const hash = createHash('sha256')
    .update(bytes)
    .digest('base64url')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 10);
  const served = `${stem}-${hash}${extension}`;
  manifest[`${stem}${extension}`] = served;
  writeFileSync(join(target, served), bytes);
  writeFileSync(join(target, `${served}.br`), packed);
}
