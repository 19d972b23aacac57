/** One escaper per HTML context. */

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

/** A colon behind the first slash ends no scheme. */
export function hasSafeScheme(url: string): boolean {
  const scheme = /^([^/]*?):/.exec(url)?.[1];
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

/** Escapes text and quoted attributes as Go's html/template does. */
export const escapeText = (text: string): string => text.replace(/[&<>"'+]/g, (character) => ENTITIES[character]!);

/** Percent-encodes what a URL may not contain, and leaves the rest. */
export function normaliseUrl(value: string): string {
  return value.replace(/%(?![0-9a-fA-F]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&*+,;=%]/gu, (c) => encodeCharacter(c));
}

/** Encodes one value of a query. */
export function encodeQuery(value: string): string {
  return value.replace(/[^A-Za-z0-9\-._~]/gu, (c) => encodeCharacter(c));
}

function encodeCharacter(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Passes colours, sizes and words only: nothing that ends a declaration, loads a URL or runs a script. */
export function filterCss(value: string): string {
  return /^[A-Za-z0-9#.,% _-]*$/.test(value) && !/expression|binding/i.test(value) ? value : '';
}
