import { TemplateError } from './error.js';

/** The entities that code in an attribute needs. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  gt: '>',
  lt: '<',
  nbsp: '\u00a0',
  quot: '"',
  semi: ';',
  sol: '/',
};
/** Those that count without a semicolon, too. Others that do are neither syntax nor white space of code. */
const WITHOUT_SEMICOLON: Readonly<Record<string, string>> = {
  AMP: '&',
  GT: '>',
  LT: '<',
  QUOT: '"',
  amp: '&',
  gt: '>',
  lt: '<',
  nbsp: '\u00a0',
  quot: '"',
};

const ENTITY = /&(?:#(\d+);?|#[xX]([0-9a-fA-F]+);?|([A-Za-z][A-Za-z0-9]*)(;|(?![A-Za-z0-9=])))/g;

/**
 * Decodes the literal text of an attribute whose value is code, so that `&quot;` begins a string as it does in a browser.
 * Numbers and old names need no semicolon there: HTML Living Standard, 13.2.5.73.
 * @throws TemplateError for other names
 */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal, hex, name, end) => {
    if (name === undefined) return decodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    const names = end === ';' ? NAMED : WITHOUT_SEMICOLON;
    if (Object.hasOwn(names, name)) return names[name]!;
    if (end === '') return entity;
    throw new TemplateError(`${entity} in an attribute of code is not supported: write the character itself`);
  });
}

/** Decodes what decides where the text of a URL begins; other names stay, as they are part of it. */
export function decodeUrlEntities(text: string): string {
  return text.replace(ENTITY, (entity, decimal, hex, name) => {
    if (name === undefined) return decodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    if (name === 'Tab' || name === 'NewLine' || name === 'nbsp') return ' ';
    return /^amp$/i.test(name) ? '&' : entity;
  });
}

/** What may become an entity with the text behind it. */
export const openEntity = (text: string): string => /&#?[A-Za-z0-9]*$/.exec(text)?.[0] ?? '';

const decodePoint = (point: number): string =>
  point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
