import { atLine, TemplateError } from './error.js';

/** A template split at its delimiters: literal text, or the tokens of one action. */
export type Piece = ({ readonly text: string } | { readonly tokens: readonly Token[] }) & { readonly line: number };

export type Token =
  | { readonly kind: 'name' | 'punctuation'; readonly value: string }
  /** `.A.B`, also after `$x` or a parenthesis; `.` is an empty path. */
  | { readonly kind: 'path'; readonly value: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null };

const TOKEN =
  /\s+|(?<name>\$?[A-Za-z_][A-Za-z0-9_]*|\$)|(?<path>(?:\.[A-Za-z_][A-Za-z0-9_]*)+|\.)|(?<number>[+-]?\d{1,15}(?:\.\d{1,15})?(?![\w.]))|"(?<quoted>(?:[^"\\\n]|\\.)*)"|`(?<raw>[^`]*)`|(?<punctuation>:=|[()|,=])/y;

const CONSTANTS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

/**
 * Splits a template at `{{ }}`, applies the trim markers and drops comments.
 * @throws TemplateError
 */
export function splitTemplate(source: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let line = 1;
  let trimsNext = false;
  const addText = (text: string, trimsEnd: boolean): void => {
    const begun = trimsNext ? text.trimStart() : text;
    const whole = trimsEnd ? begun.trimEnd() : begun;
    if (whole !== '') pieces.push({ text: whole, line });
    line += countLines(text);
  };
  for (;;) {
    const open = source.indexOf('{{', at);
    if (open < 0) {
      addText(source.slice(at), false);
      return pieces;
    }
    const trimsBefore = /^-\s/.test(source.slice(open + 2, open + 4));
    addText(source.slice(at, open), trimsBefore);
    const begin = open + (trimsBefore ? 3 : 2);
    const close = atLine(line, () => endOfAction(source, begin));
    const trimsAfter = /\s-$/.test(source.slice(Math.max(begin, close - 2), close));
    const inside = source.slice(begin, trimsAfter ? close - 1 : close).trim();
    if (!inside.startsWith('/*')) pieces.push({ tokens: atLine(line, () => readTokens(inside)), line });
    else if (!inside.endsWith('*/')) throw new TemplateError('A comment must fill its action', line);
    line += countLines(source.slice(open, close));
    trimsNext = trimsAfter;
    at = close + 2;
  }
}

const countLines = (text: string): number => text.split('\n').length - 1;

/** Finds the closing delimiter; one inside a string or comment does not count. */
function endOfAction(source: string, begin: number): number {
  const comment = /\s*\/\*/y;
  comment.lastIndex = begin;
  if (comment.test(source)) {
    const end = source.indexOf('*/', comment.lastIndex);
    const close = end < 0 ? -1 : source.indexOf('}}', end);
    if (close < 0) throw new TemplateError('A comment is not closed');
    return close;
  }
  const next = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|\}\}/g;
  next.lastIndex = begin;
  for (let match = next.exec(source); match !== null; match = next.exec(source)) {
    if (match[0] === '}}') return match.index;
  }
  throw new TemplateError('An action is not closed by }}');
}

function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) throw new TemplateError(`Unexpected ${JSON.stringify(text.slice(at, at + 20))}`);
    at = TOKEN.lastIndex;
    const { name, path, number, quoted, raw, punctuation } = match.groups as Record<string, string | undefined>;
    if (name !== undefined) {
      const constant = CONSTANTS.get(name);
      tokens.push(constant === undefined ? { kind: 'name', value: name } : { kind: 'literal', value: constant });
    } else if (path !== undefined) tokens.push({ kind: 'path', value: path === '.' ? [] : path.slice(1).split('.') });
    else if (number !== undefined) tokens.push({ kind: 'literal', value: Number(number) });
    else if (quoted !== undefined) tokens.push({ kind: 'literal', value: unquote(quoted) });
    else if (raw !== undefined) tokens.push({ kind: 'literal', value: raw });
    else if (punctuation !== undefined) tokens.push({ kind: 'punctuation', value: punctuation });
  }
  return tokens;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', "'": "'" };

function unquote(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const character = Object.hasOwn(ESCAPES, code) ? ESCAPES[code] : undefined;
    if (character === undefined) throw new TemplateError(`Unknown escape \\${code} in a string`);
    return character;
  });
}
