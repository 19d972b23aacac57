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

/**
 * Decodes the literal text of an attribute whose value is code, so that `&quot;` begins a string as it does in a browser.
 * @throws TemplateError for other names
 */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));/g,
    (entity, decimal, hex, name) => {
      if (name === undefined) return decodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
      const character = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      if (character === undefined) {
        throw new TemplateError(`${entity} in an attribute of code is not supported: write the character itself`);
      }
      return character;
    },
  );
}

const decodePoint = (point: number): string =>
  point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
