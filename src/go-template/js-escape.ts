/** Escapers of JavaScript. Each result is also safe inside a script element and an attribute. */

const hex = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const SHORT: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '\\': '\\\\',
  '/': '\\/',
};

const escapeOne = (character: string): string => SHORT[character] ?? hex(character);

/** Inside of quotes. */
export const escapeJsString = (text: string): string =>
  text.replace(/[\u0000-\u001f"`&'+/<>\\\u2028\u2029]/g, escapeOne);

/** Between backticks: a value begins no `${`. */
export const escapeJsTemplate = (text: string): string =>
  text.replace(/[\u0000-\u001f"`&'+/<>\\${}\u2028\u2029]/g, escapeOne);

/** In a regular expression, which matches the value itself. An empty value must not make a comment of it. */
export function escapeJsRegexp(text: string): string {
  if (text === '') return '(?:)';
  return text.replace(/[\u0000-\u001f"$&'()*+\-./<>?[\\\]^{|}\u2028\u2029]/g, (character) =>
    /[$()*\-.?[\]^{|}]/.test(character) ? `\\${character}` : escapeOne(character),
  );
}

/** A value as an expression: JSON, with blanks around a word or number, which would join its neighbour. */
export function jsValue(value: unknown): string {
  const json = toJson(value);
  return /^[\w$]|[\w$]$/.test(json) ? ` ${json} ` : json;
}

function toJson(value: unknown): string {
  const sorted = (_: string, item: unknown): unknown =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : typeof item === 'string'
        ? item.toWellFormed()
        : item;
  return (JSON.stringify(value ?? null, sorted) ?? 'null').replace(/[<>&\u2028\u2029]/g, hex);
}

const JS_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '"': '\\"' };

/** The function `js` of templates, as text/template has it. */
export const escapeJs = (text: string): string =>
  text.toWellFormed().replace(/[\\'"<>&=\u0000-\u001f]|(?![ \u007f])[\p{C}\p{Z}]/gu, (character) => {
    const short = JS_ESCAPES[character];
    return short ?? `\\u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  });
