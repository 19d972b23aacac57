/** The configuration of VitePress, which builds the site (https://vitepress.dev/reference/site-config). */
import { markdownOptions, renderForSearch } from './markdown.js';
import type { SiteGroup } from './section.js';
import { sitePlaceOf, siteSections } from './tree.js';

export interface SiteFolders {
  readonly repository: string;
  /** What `stageSite` has written. */
  readonly staged: string;
  readonly output: string;
  /** Begins the paths of the site, with a slash at both ends. */
  readonly base: string;
}

export function siteConfig({ repository, staged, output, base }: SiteFolders) {
  return {
    title: 'Latchkey',
    description: 'Documentation of Latchkey, an authentication server.',
    lang: 'en',
    base,
    srcExclude: ['public/**'],
    outDir: output,
    cacheDir: `${staged}/.vitepress/cache`,
    // Also the check of all other links within the site.
    ignoreDeadLinks: 'localhostLinks',
    // It would add a style sheet to the page, which the policy refuses.
    appearance: { disableTransition: false },
    metaChunk: true,
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
    markdown: markdownOptions(repository, base),
    vite: { build: { chunkSizeWarningLimit: 2000 }, logLevel: 'warn' },
    themeConfig: {
      logo: '/icon.svg',
      outline: { level: [2, 3], label: 'On this page' },
      nav: siteSections.map(({ text, groups }) => ({
        text,
        link: linkTo(groups[0]!.pages[0]!.source),
        activeMatch: `^/(?:${groups.flatMap(pathsOf).join('|')})(?:\\.html)?$`,
      })),
      sidebar: siteSections.map(({ text, groups }) => ({ text, collapsed: false, items: groups.flatMap(sidebarOf) })),
      search: {
        provider: 'local',
        options: {
          _render: renderForSearch,
          miniSearch: { searchOptions: { boost: { title: 6, titles: 3, text: 1 } } },
        },
      },
      docFooter: { prev: 'Before', next: 'Next' },
      notFound: {
        quote: 'The search finds pages by their words.',
        linkText: 'To the first page',
        linkLabel: 'To the first page',
      },
    },
  };
}

const linkTo = (source: string): string => `/${sitePlaceOf(source).replace(/\.md$/, '')}`;

const pathsOf = ({ pages }: SiteGroup): string[] => pages.map(({ source }) => linkTo(source).slice(1));

function sidebarOf({ text, pages }: SiteGroup): object[] {
  const items = pages.map((page) => ({ text: page.text, link: linkTo(page.source) }));
  // The group of the page that is shown opens by itself.
  return text === '' ? items : [{ text, items, collapsed: true }];
}
