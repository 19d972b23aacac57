/** Copies what the site is made of into one folder: pages at their places, pictures beside them, the files they link to. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SiteFolders } from './config.js';
import { FILES, readLink } from './links.js';
import { hasRows } from './rows.js';
import { sitePages, sitePlaceOf, siteSections } from './tree.js';

/** It is not compiled: VitePress bundles it. */
const THEME = 'src/dev/site/theme';

/** Writes `folders.staged` anew; `vitepress build` makes the site of it. */
export function stageSite(folders: SiteFolders): void {
  const { repository, staged } = folders;
  rmSync(staged, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(staged, path)), { recursive: true });
    writeFileSync(join(staged, path), text);
  };
  const copy = (from: string, to: string): void => {
    mkdirSync(dirname(join(staged, to)), { recursive: true });
    copyFileSync(join(repository, from), join(staged, to));
  };
  for (const { source } of sitePages) {
    const place = sitePlaceOf(source);
    // Comments mark what is generated.
    const text = readFileSync(join(repository, source), 'utf8').replaceAll(/<!--.*?-->/gs, '');
    // Wide tables take the room of the outline.
    write(place, hasRows(place) ? `---\naside: false\n---\n${text}` : text);
    for (const [, mark, href] of text.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g)) {
      const link = readLink(place, href!);
      if (link.kind !== 'file' || !statSync(join(repository, link.path)).isFile()) continue;
      copy(link.path, mark === '!' ? posix.join(posix.dirname(place), href!) : `public/${FILES}/${link.path}`);
    }
  }
  write('index.md', firstPage());
  write('public/icon.svg', ICON);
  const config = posix.relative(join(staged, '.vitepress'), fileURLToPath(new URL('config.js', import.meta.url)));
  write(
    '.vitepress/config.mjs',
    `import { siteConfig } from '${config}';\nexport default siteConfig(${JSON.stringify(folders)});\n`,
  );
  for (const name of readdirSync(join(repository, THEME))) copy(`${THEME}/${name}`, `.vitepress/theme/${name}`);
  write('.vitepress/theme/index.js', "export { siteTheme as default } from './site-theme.js';\n");
  copyFileSync(new URL('api-operations.js', import.meta.url), join(staged, '.vitepress/theme/api-operations.js'));
}

function firstPage(): string {
  const first = (at: number): string =>
    `/${sitePlaceOf(siteSections[at]!.groups[0]!.pages[0]!.source).replace(/\.md$/, '')}`;
  return `---
${JSON.stringify({
  layout: 'home',
  hero: {
    name: 'Latchkey',
    text: 'Authentication for your Postgres',
    tagline: 'Sign-up, sign-in, sessions, organizations. Speaks the protocol of supabase/auth; fast on small machines.',
    actions: [
      { theme: 'brand', text: 'Start in two minutes', link: first(0) },
      { theme: 'alt', text: 'Concepts', link: '/concepts' },
    ],
  },
  features: siteSections.map(({ text, about }, at) => ({ title: text, details: about, link: first(at) })).slice(1),
})}
---
`;
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#4f46e5"/><circle cx="6" cy="8" r="2.5" fill="none" stroke="#fff" stroke-width="1.4"/><path d="M8.5 8H13v2M11 8v1.6" fill="none" stroke="#fff" stroke-width="1.4" stroke-linecap="round"/></svg>
`;
