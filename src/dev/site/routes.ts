/** The documentation at /docs of `latchkey dev`. It is built when it is opened for the first time, and after its pages have changed. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { html } from '../../html.js';
import type { ApiRequest, Reply, Route } from '../../server/http/types.js';
import type { App } from '../../server/runtime/app.js';
import { buildSite, repository, SITE } from './build-site.js';
import { sitePages } from './tree.js';

const BASE = '/docs/';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** @returns no routes where the pages are not there, as in a package that was installed */
export function siteRoutes(): Route<App>[] {
  if (!hasSite()) return [];
  const answer = openSite();
  const paths = ['{file}', '{folder}/{file}', '{folder}/{part}/{file}', '{folder}/{part}/{piece}/{file}'];
  return ['', ...paths].map((path) => ({
    ...{ method: 'GET', path: `${BASE}${path}`.replace(/\/$/, ''), trailingSlash: path === '' },
    ...{ caller: 'none', quiet: true },
    handler: (_app, request) => answer(request),
  }));
}

export const hasSite = (): boolean => sitePages.every(({ source }) => existsSync(`${repository}${source}`));

/** @returns what answers requests; the first one finds out whether the site has to be built */
function openSite(): (request: ApiRequest) => Reply {
  let files: ReadonlySet<string> | undefined;
  let state: 'unknown' | 'building' | Error = 'unknown';
  const build = (): void => {
    state = 'building';
    buildSite(BASE).then(
      () => {
        files = listFiles();
      },
      (error: Error) => {
        state = error;
      },
    );
  };
  return ({ path }) => {
    if (state === 'unknown') {
      if (isBuilt()) files = listFiles();
      else build();
    }
    if (state instanceof Error) return showNote('The documentation could not be built', state.message, 500);
    if (files === undefined)
      return showNote('The documentation is being built', 'This page shows it in half a minute.', 200);
    if (path === BASE.slice(0, -1)) return { status: 302, headers: { Location: BASE } };
    const name = path.slice(BASE.length) || 'index.html';
    if (files.has(name)) return showFile(name, 200);
    // An address that was typed, or the path of a page in the repository.
    const page = `${name.replace(/\.md$/, '')}.html`;
    return files.has(page) ? { status: 302, headers: { Location: BASE + page } } : showFile('404.html', 404);
  };
}

/** Whether the site is there and none of its pages is newer. */
function isBuilt(): boolean {
  const built = statSync(`${SITE}index.html`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sitePages.every(({ source }) => statSync(`${repository}${source}`).mtimeMs < built);
}

function listFiles(): Set<string> {
  const entries = readdirSync(SITE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Set(
    entries.map(({ parentPath, name }) => `${parentPath}/${name}`.replaceAll(/[\\/]+/g, '/').slice(SITE.length)),
  );
}

function showFile(name: string, status: number): Reply {
  const body = readFileSync(`${SITE}${name}`);
  const type = types[extname(name)] ?? 'text/plain; charset=utf-8';
  const policy = name.endsWith('.html')
    ? policyOf(body.toString())
    : "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return {
    status,
    body,
    headers: {
      ...{ 'Content-Type': type, 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
      'Cache-Control': name.startsWith('assets/') ? 'max-age=31536000, immutable' : 'no-cache',
    },
  };
}

/** Scripts in the page count by their hash. Attributes colour the code; nothing in the pages is of others. */
function policyOf(page: string): string {
  const hashes = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A page that asks again. @param status 200 while there is something to wait for */
function showNote(title: string, text: string, status: 200 | 500): Reply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${status === 200 && html`<meta http-equiv="refresh" content="2">`}
<title>${title}</title>
</head>
<body><h1>${title}</h1><pre>${text}</pre></body>
</html>
`;
  const headers = {
    ...{ 'Content-Type': types['.html']!, 'Cache-Control': 'no-store' },
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
  return { status, body: page.text, headers };
}
