/** How the site reads markdown: as GitHub does, without a template language. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf } from './anchors.js';
import { FILES, readLink } from './links.js';
import { markRows, rowsAsSections } from './rows.js';
import { breakName, labelCells } from './tables.js';

/** What is used here of markdown-it (https://markdown-it.github.io). Its types and those of VitePress would cost each build seconds. */
interface Markdown {
  readonly linkify: { set(options: object): void };
  readonly core: { readonly ruler: { push(name: string, rule: (state: ParsedPage) => void): void } };
  readonly renderer: { readonly rules: Record<string, RenderRule> };
  readonly options: { readonly highlight?: unknown };
  set(options: { readonly highlight: unknown }): void;
  render(text: string, env: object): string;
}

type RenderRule = (this: unknown, ...parts: readonly unknown[]) => string;

/** What the index of the search is made of: the HTML of a page. Code has no colours there, which take a tenth of a build. */
export function renderForSearch(text: string, env: object, md: Markdown): string {
  const { highlight } = md.options;
  md.set({ highlight: null });
  try {
    return rowsAsSections(md.render(text, env).replaceAll('<wbr>', ''));
  } finally {
    md.set({ highlight });
  }
}

interface ParsedPage {
  /** `relativePath` is the place of the page. */
  readonly env: { readonly relativePath: string };
  readonly tokens: readonly Token[];
}

interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  attrs: [string, string][] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** @param repository directory. @param base of the URLs of the site, such as `/docs/` */
export function markdownOptions(repository: string, base: string) {
  return {
    // Text such as <name> is text, and `{user_id}` after a word gives it no attribute.
    html: false,
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md: Markdown) {
      md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
      md.core.ruler.push('site', (state) => {
        markRows(state.env.relativePath, state.tokens);
        labelCells(state.tokens);
        for (const { children } of state.tokens) {
          for (const token of children ?? []) {
            if (token.type !== 'link_open') continue;
            const link = readLink(state.env.relativePath, token.attrGet('href') ?? '');
            if (link.kind === 'page') token.attrSet('href', link.href);
            if (link.kind === 'file' && statSync(join(repository, link.path)).isFile()) {
              token.attrSet('href', `${base}${FILES}/${link.path}`);
              // Not a page that the router of the site could show.
              token.attrSet('target', '_self');
            } else if (link.kind === 'file') {
              // A folder.
              token.attrs = [];
            }
          }
        }
      });
      const renderCode = md.renderer.rules['code_inline']!;
      md.renderer.rules['code_inline'] = (...parts) => breakName(renderCode(...parts));
      keepBraces(md);
    },
  };
}

/** Pages are templates of Vue afterwards, in which two braces begin an expression. */
function keepBraces(md: Markdown): void {
  const render = md.render.bind(md);
  md.render = (text, env) => render(text, env).replaceAll('{{', '&#123;&#123;').replaceAll('}}', '&#125;&#125;');
}
