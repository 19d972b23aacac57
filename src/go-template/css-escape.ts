/** Escapers of CSS. */

/** Decodes escapes such as `\75` and `\"`. */
export function decodeCss(text: string): string {
  return text.replace(/\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\f\r])?|([\s\S]?))/gu, (_, hex, character) => {
    if (hex === undefined) return character;
    const point = Number.parseInt(hex, 16);
    return point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? '\ufffd' : String.fromCodePoint(point);
  });
}

/** Inside of quotes. A blank ends the escape where the next character would belong to it. */
export function escapeCss(text: string): string {
  return text.replace(/[\0\t\n\f\r"&'()+/:;<>\\{}]/g, (character, at: number) => {
    if (character === '\\') return '\\\\';
    const next = text[at + 1];
    const code = `\\${character.charCodeAt(0).toString(16)}`;
    return next === undefined || /[0-9a-fA-F \t\n\f\r]/.test(next) ? `${code} ` : code;
  });
}

/** Passes colours, sizes, words and lists of them: nothing that ends a declaration, loads a URL or runs a script. */
export function filterCss(value: string): string {
  const text = decodeCss(value);
  if (/[\0"'()/;@[\\\]`{}<>]|--/.test(text)) return '';
  return /expression|mozbinding/i.test(text.replace(/[^\w-]/g, '')) ? '' : text;
}
