/** Numbers in JSON that a double cannot keep: JSON.parse would change them without a word (RFC 8259 6). */

const MAX_PATH_CHARACTERS = 200;
/** What a double tells apart, however many digits it is written with (IEEE 754). */
const DIGITS_OF_DOUBLE = 17;
const [QUOTE, BACKSLASH, PLUS, MINUS, POINT] = [0x22, 0x5c, 0x2b, 0x2d, 0x2e];

/**
 * Finds the first number that would not come back as it is written: a whole number beyond 2^53 that changes, a fraction
 * with more digits than a double has, or one that is too large or too small for any.
 * @param json valid JSON
 * @returns where it is, as `data.ids[2]`; null: there is none
 */
export function findInexactNumber(json: string): string | null {
  // Of each open object the name of the member, of each open array the index.
  const path: (string | number)[] = [];
  for (let at = 0; at < json.length; ) {
    const start = at;
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      const isName = json[skipBlanks(json, at)] === ':';
      if (isName) path[path.length - 1] = json.slice(start + 1, at - 1);
    } else if (code === MINUS || isDigit(code)) {
      at = endOfNumber(json, at);
      if (!isKept(json.slice(start, at))) return writePath(path);
    } else {
      if (json[at] === '{') path.push('');
      else if (json[at] === '[') path.push(0);
      else if (json[at] === '}' || json[at] === ']') path.pop();
      else if (json[at] === ',' && typeof path.at(-1) === 'number') path[path.length - 1] = Number(path.at(-1)) + 1;
      at++;
    }
  }
  return null;
}

/**
 * Parses JSON of others, whose numbers cannot be refused: one that a double would change becomes the text that was
 * written, `12345678901234567890` the string of its digits.
 * @throws SyntaxError for what is no JSON
 */
export function parseKeepingNumbers(json: string): unknown {
  const value: unknown = JSON.parse(json);
  let quoted = '';
  let done = 0;
  for (let at = 0; at < json.length; ) {
    const start = at;
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
    } else if (code === MINUS || isDigit(code)) {
      at = endOfNumber(json, at);
      const literal = json.slice(start, at);
      if (isKept(literal)) continue;
      quoted += `${json.slice(done, start)}"${literal}"`;
      done = at;
    } else at++;
  }
  return done === 0 ? value : JSON.parse(quoted + json.slice(done));
}

/** Whether a byte, or the code of a character, belongs to a number that has begun. */
export const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === POINT || code === PLUS || code === MINUS || code === 0x65 || code === 0x45;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, start: number): number {
  let at = start;
  while (at < json.length && isOfNumber(json.charCodeAt(at))) at++;
  return at;
}

function skipBlanks(json: string, start: number): number {
  let at = start;
  while (at < json.length && ' \t\r\n'.includes(json[at]!)) at++;
  return at;
}

function isKept(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const written = decimalOf(literal);
  if (written === decimalOf(String(value))) return true;
  // Programs print a double with 17 digits, too; a whole number means each of its digits.
  return /[.eE]/.test(literal) && written === decimalOf(value.toPrecision(DIGITS_OF_DOUBLE));
}

/** One spelling of a number without its sign: its digits without zeros at the ends, and their exponent. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let first = 0;
  while (first < digits.length && digits[first] === '0') first++;
  if (first === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return `${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

function writePath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text.length > MAX_PATH_CHARACTERS ? `${text.slice(0, MAX_PATH_CHARACTERS)}…` : text;
}
