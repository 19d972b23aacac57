/** How values become harmless in each place of an HTML page. */

const URL_ATTRIBUTES = new Set(
  'action archive background cite classid codebase data formaction href icon longdesc manifest poster profile src srcset usemap'.split(
    ' ',
  ),
);
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto']);

/** @param name in lower case */
export function isUrlAttribute(name: string): boolean {
  return URL_ATTRIBUTES.has(name.replace(/^(data-|[a-z]+:)/, ''));
}

/** As browsers read it: white space and control characters inside a scheme count for nothing. */
export function hasSafeScheme(url: string): boolean {
  const scheme = /^([^/?#]*?):/.exec(url.replace(/[\u0000-\u0020]/g, ''))?.[1];
  return scheme === undefined || SAFE_SCHEMES.has(scheme.toLowerCase());
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '+': '&#43;',
};

/** As Go's html/template escapes text and quoted attributes (delivery.md 5.4). */
export const escapeText = (text: string): string => text.replace(/[&<>"'+]/g, (character) => ENTITIES[character]!);

/** Percent-encodes what cannot stand in a URL, and nothing that can. */
export function normaliseUrl(value: string): string {
  return value.replace(/%(?![0-9a-fA-F]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&*+,;=%]/gu, (c) => encodeCharacter(c));
}

/** As one value of a query. */
export function encodeQuery(value: string): string {
  return value.replace(/[^A-Za-z0-9\-._~]/gu, (c) => encodeCharacter(c));
}

function encodeCharacter(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Colours, sizes and words only: nothing that could end a declaration, load or run something. */
export function filterCss(value: string): string {
  return /^[A-Za-z0-9#.,% _-]*$/.test(value) && !/expression|binding/i.test(value) ? value : '';
}
