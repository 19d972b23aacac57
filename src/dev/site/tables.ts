/** Tables of the site: on a phone a row of three or more columns is a block, in which each cell says its column. */

interface Token {
  readonly type: string;
  readonly content: string;
  attrSet(name: string, value: string): void;
}

/** Of more columns than fit on a phone beside each other. */
const FEWEST_TO_STACK = 3;

/**
 * Gives the cells of such tables the names of their columns as `data-label`, which the style sheet shows.
 * @param tokens of markdown-it
 */
export function labelCells(tokens: readonly Token[]): void {
  let names: string[] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'table_open') names = [];
    if (token.type === 'tr_open') column = 0;
    if (token.type === 'th_open') names.push(tokens[at + 1]!.content.replaceAll(/[`*]/g, ''));
    if (token.type !== 'td_open') continue;
    // The first cell is what the row is about.
    if (column > 0 && names.length >= FEWEST_TO_STACK) token.attrSet('data-label', names[column] ?? '');
    column += 1;
  }
}

/** @param html of a name in code, such as `AUTH_SITE_URL`. @returns it with the places where a line may break */
export const breakName = (html: string): string =>
  html.replaceAll(/(?<=[\w};][_/=,?]|[a-zA-Z][.:@])(?=[\w{&])(?![^<]*>)/g, '<wbr>');
