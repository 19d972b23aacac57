/** Builds the console of operators: a script in parts that are loaded when they are needed, and a style sheet. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { bundledPackages } from '../bundled-packages.js';
import { writePacked } from './packed.js';

/** Most bytes, compressed by brotli. */
const budgets = { firstLoad: 45_000, style: 10_000, part: 25_000 } as const;

/** Evergreen browsers of operators: `light-dark()`, `:has()` and JSON forms of WebAuthn. */
const target = ['es2022', 'chrome129', 'firefox128', 'safari18.4'];

interface ManifestPage {
  /** As `/users/{user_id}`. */
  readonly path: string;
  /** The parts of the script that are loaded when it is shown. */
  readonly parts: readonly string[];
}

/** What the server reads of the build. */
export interface ConsoleManifest {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  /** Parts that the script needs at once. */
  readonly preload: readonly string[];
  readonly pages: readonly ManifestPage[];
}

/**
 * @param source src/web. @param root of the repository, for licences
 * @throws Error over a budget, or when a package is bundled that bundled-packages.ts does not name
 */
export async function buildConsole(source: string, directory: string, root: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      console: join(source, 'console/main.tsx'),
      style: join(source, 'console/styles/index.css'),
    },
    outdir: directory,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target,
    logLevel: 'warning',
  });
  const sizes = new Map<string, number>();
  for (const { path, contents } of outputFiles) {
    sizes.set(basename(path), writePacked(directory, basename(path), contents));
  }
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const entryOf = (suffix: string) =>
    [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith(suffix) === true)![0];
  const [script, style] = [entryOf('console/main.tsx'), entryOf('styles/index.css')];
  const preload = staticImportsOf(outputs, script);
  const drawing = readFileSync(join(source, 'console/icon.svg'));
  const icon = `icon-${createHash('sha256').update(drawing).digest('hex').slice(0, 8)}.svg`;
  writePacked(directory, icon, drawing);
  const pages = readPages(source).map(({ path, file }) => {
    const part = entryOf(`console/pages/${file}.tsx`);
    return {
      path,
      parts: [part, ...staticImportsOf(outputs, part)].filter((name) => !preload.includes(name) && name !== script),
    };
  });
  const manifest: ConsoleManifest = { script, style, icon, preload, pages };
  writeFileSync(join(directory, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  assertBudgets(sizes, [script, ...preload]);
  writeNotices(metafile, directory, root);
}

function assertBudgets(sizes: ReadonlyMap<string, number>, first: readonly string[]): void {
  const faults: string[] = [];
  const check = (name: string, size: number, most: number) => {
    if (size > most) faults.push(`${name} has ${size} bytes compressed, more than ${most}`);
  };
  check(
    'What the console loads first',
    first.reduce((sum, name) => sum + sizes.get(name)!, 0),
    budgets.firstLoad,
  );
  for (const [name, size] of sizes) {
    if (name.endsWith('.css')) check(name, size, budgets.style);
    else if (!first.includes(name)) check(name, size, budgets.part);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** Parts that a part imports at its top, and theirs. */
function staticImportsOf(outputs: ReadonlyMap<string, Metafile['outputs'][string]>, name: string): string[] {
  const found = new Set<string>();
  const follow = (one: string) => {
    for (const { path, kind } of outputs.get(one)!.imports) {
      const next = basename(path);
      if (kind !== 'import-statement' || found.has(next)) continue;
      found.add(next);
      follow(next);
    }
  };
  follow(name);
  return [...found];
}

/** The paths of the registry, which the server answers, and the file of each. */
function readPages(source: string): readonly { readonly path: string; readonly file: string }[] {
  const text = readFileSync(join(source, 'console/pages/index.ts'), 'utf8');
  const entries = /\bpath: '(\/[^']*)'[^{}]*(?:\{[^{}]*\}[^{}]*)?import\('\.\/([\w-]+)\.js'\)/g;
  const pages = [...text.matchAll(entries)].map(([, path, file]) => ({ path: path!, file: file! }));
  const paths = [...text.matchAll(/\bpath: '\//g)];
  if (pages.length !== paths.length) throw new Error(`Of ${paths.length} pages ${pages.length} could be read`);
  return pages;
}

/** The licences of what is part of the script, which ask to go with it. */
function writeNotices({ inputs }: Metafile, directory: string, root: string): void {
  const names = new Set<string>();
  for (const path of Object.keys(inputs)) {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1];
    if (name !== undefined) names.add(name);
  }
  const listed = [...bundledPackages].sort();
  const found = [...names].sort();
  if (found.join() !== listed.join()) {
    throw new Error(`The console bundles ${found.join(', ')}; src/dev/bundled-packages.ts says ${listed.join(', ')}`);
  }
  const notices = found.map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = ['LICENSE', 'LICENSE.md', 'LICENCE'].map((one) => join(folder, one)).find(existsSync);
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
  writeFileSync(join(directory, 'licences.txt'), notices.join('\n\n'));
}
