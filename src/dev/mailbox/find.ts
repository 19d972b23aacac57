/** Finds the codes and links of a message. */

const URL_PATTERN = /https?:\/\/[^\s<>"']+/g;
const MAX_FOUND = 10;

/** @returns numbers of 6 to 10 digits outside of URLs */
export function findCodes(text: string): string[] {
  const found = text.replace(URL_PATTERN, ' ').match(/(?<![\w+.-])\d{6,10}(?![\w-])/g) ?? [];
  return [...new Set(found)].slice(0, MAX_FOUND);
}

/** @returns the targets of `<a href>`, then the URLs in the text */
export function findLinks(html: string | null, text: string): string[] {
  const hrefs = [...(html ?? '').matchAll(/<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)].map(
    ([, double, single, bare]) => decodeEntities(double ?? single ?? bare ?? ''),
  );
  const written = [...text.matchAll(URL_PATTERN)].map(([url]) => url.replace(/[.,;:!?)\]]+$/, ''));
  const links = [...hrefs, ...written].filter((link) => /^https?:\/\//i.test(link) && URL.canParse(link));
  return [...new Set(links)].slice(0, MAX_FOUND);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
