/** What a person looks for in a message: the code, the links. */

const URL_PATTERN = /https?:\/\/[^\s<>"']+/g;
const MAX_FOUND = 10;

/** Numbers of 6 to 10 digits outside links, as codes are. */
export function findCodes(text: string): string[] {
  const found = text.replace(URL_PATTERN, ' ').match(/(?<![\w+.-])\d{6,10}(?![\w-])/g) ?? [];
  return [...new Set(found)].slice(0, MAX_FOUND);
}

/** The targets of `<a href>`, then addresses in the text. */
export function findLinks(html: string | null, text: string): string[] {
  const hrefs = [...(html ?? '').matchAll(/<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)].map(
    ([, double, single, bare]) => decodeEntities(double ?? single ?? bare ?? ''),
  );
  const written = [...text.matchAll(URL_PATTERN)].map(([url]) => url.replace(/[.,;:!?)\]]+$/, ''));
  const links = [...hrefs, ...written].filter((link) => /^https?:\/\//i.test(link) && URL.canParse(link));
  return [...new Set(links)].slice(0, MAX_FOUND);
}

/** Text for mails that bring none of their own; links behind their words. */
export function htmlToText(html: string): string {
  const text = html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<a\b[^>]*?\bhref\s*=\s*"([^"]*)"[^>]*>([\s\S]*?)<\/a\s*>/gi, '$2 ($1)')
    .replace(/\s+/g, ' ')
    .replace(/<(br|\/p|\/div|\/h[1-6]|\/li|\/tr)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '');
  return decodeEntities(text)
    .replace(/ *\n */g, '\n')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
