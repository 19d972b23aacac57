/** URLs in attributes and style sheets. */

/** How far the literal text of a URL goes. start: a value may be the scheme. */
export type UrlPart = 'start' | 'path' | 'query';

/** In place of a URL that is not allowed. */
export const REJECTED_URL = '#';

const SAFE_SCHEMES = new Set(['http', 'https', 'mailto']);

/** @param text literal text */
export function followUrl(part: UrlPart, text: string): UrlPart {
  if (/[?#]/.test(text)) return 'query';
  return part === 'start' && /[^\0-\x20\s]/.test(text) ? 'path' : part;
}

/** A colon behind the first slash ends no scheme. */
export function hasSafeScheme(url: string): boolean {
  const scheme = /^([^/]*?):/.exec(url)?.[1];
  return scheme === undefined || SAFE_SCHEMES.has(scheme.toLowerCase());
}

/** @param isEncoded the value comes from `urlquery`, so a query does not encode it again */
export function escapeUrl(part: UrlPart, value: string, isEncoded: boolean): string {
  if (part === 'query') return isEncoded ? value : encodeQuery(value);
  if (part === 'start' && !hasSafeScheme(value)) return REJECTED_URL;
  return normaliseUrl(value);
}

/** A list of images: each its URL, and after blanks its width or density. */
export function filterSrcset(value: string): string {
  return value
    .split(',')
    .map((image) => {
      const [, before, url, after] = /^([ \t\n\f\r]*)([^ \t\n\f\r]*)(.*)$/s.exec(image)!;
      const isSafe = hasSafeScheme(url!) && /^[ \t\n\f\r0-9A-Za-z]*$/.test(after!);
      return isSafe ? `${before}${normaliseUrl(url!)}${after}` : REJECTED_URL;
    })
    .join(',');
}

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
