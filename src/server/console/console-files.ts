/** The files of the console, read once when its listener opens; no request reads a file. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build` has made of src/web/console. */
const DIRECTORY = fileURLToPath(new URL('../../web/console/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** By content coding, the best first. */
  readonly packed: ReadonlyMap<'br' | 'gzip', Uint8Array>;
}

export interface ConsoleFiles {
  /** By name, with the hash in it. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
  /** The document of what comes before the pages: the link of an operator. */
  readonly entrance: string;
  /** By the pattern of its path: the same document, which also names the parts of the script that the page will want. */
  readonly pages: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  readonly preload: readonly string[];
  readonly pages: readonly { readonly path: string; readonly parts: readonly string[] }[];
}

/** @throws Error when the build has left nothing */
export function readConsoleFiles(): ConsoleFiles {
  const read = (name: string): Buffer => readFileSync(join(DIRECTORY, name));
  const manifest = JSON.parse(read('manifest.json').toString()) as Manifest;
  const assets = new Map<string, ConsoleFile>();
  for (const name of readdirSync(DIRECTORY)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const packed = new Map<'br' | 'gzip', Uint8Array>([
      ['br', read(`${name}.br`)],
      ['gzip', read(`${name}.gz`)],
    ]);
    assets.set(name, { type, bytes: read(name), packed });
  }
  const pages = new Map(manifest.pages.map(({ path, parts }) => [path, renderDocument(manifest, parts)]));
  pages.set('/', renderDocument(manifest, []));
  return { assets, entrance: renderDocument(manifest, null), pages };
}

/** The first that the script asks for, without which it can show nothing. */
const WHO = '<link rel="preload" href="/api/me" as="fetch" crossorigin>\n';

/**
 * All names come from the build.
 * @param parts of the script that are wanted as soon as it knows the operator; null: it asks for none
 */
const renderDocument = (
  { script, style, icon, preload }: Manifest,
  parts: readonly string[] | null,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Latchkey console</title>
<link rel="icon" href="/assets/${icon}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/${style}">
<script type="module" src="/assets/${script}"></script>
${parts === null ? '' : WHO}${[...preload, ...(parts ?? [])].map((name) => `<link rel="modulepreload" href="/assets/${name}">\n`).join('')}</head>
<body>
<div id="console"></div>
<noscript><p class="no-script">The console needs JavaScript. The API and the command line do all it does without.</p></noscript>
</body>
</html>
`;
