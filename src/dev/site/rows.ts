/** Rows of the tables of settings and errors can be linked to and are found by the search, as headings are. */

interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  attrSet(name: string, value: string): void;
}

const PAGES = /^(?:settings|errors\/[\w-]+)\.md$/;

/** @param place of the page on the site. @returns whether its rows are marked */
export const hasRows = (place: string): boolean => PAGES.test(place);

/**
 * Gives each row that begins with a name an anchor: `AUTH_SITE_URL` is `#auth_site_url`.
 * @param place of the page on the site. @param tokens of markdown-it
 */
export function markRows(place: string, tokens: readonly Token[]): void {
  if (!hasRows(place)) return;
  const known = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const [name, more] = tokens[at + 2]?.children ?? [];
    if (token.type !== 'tr_open' || more !== undefined || name?.type !== 'code_inline') continue;
    const anchor = name.content.toLowerCase();
    if (!/^[a-z_]\w+$/.test(anchor) || known.has(anchor)) continue;
    known.add(anchor);
    token.attrSet('id', anchor);
  }
}

/**
 * For the index of the search, which is by headings.
 * @param html of a page whose rows are marked. @returns it with a heading before the rest of each such row
 */
export function rowsAsSections(html: string): string {
  return html.replaceAll(
    /<tr id="([^"]+)">\s*<td[^>]*><code[^>]*>([^<]+)<\/code><\/td>/g,
    '<h3>$2<a class="header-anchor" href="#$1"></a></h3>',
  );
}
