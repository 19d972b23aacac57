/** Follows the literal JavaScript of a template, and escapes a value for its place in it. */
import { TemplateError } from './error.js';
import type { Value } from './functions.js';
import { escapeJsRegexp, escapeJsString, escapeJsTemplate, jsValue } from './js-escape.js';

type Mode = 'code' | 'double' | 'single' | 'template' | 'regexp' | 'block comment' | 'line comment';

export interface JsContext {
  readonly mode: Mode;
  /** A slash would divide, for a value or name precedes it; otherwise it begins a regular expression. */
  readonly divides: boolean;
  /** Of each `${` that is open: the braces that are open inside of it. */
  readonly braces: readonly number[];
}

export const JS_START: JsContext = { mode: 'code', divides: false, braces: [] };

/** @throws TemplateError where the next value would follow a backslash, or stand inside a set of characters */
export function followJs(context: JsContext, text: string): JsContext {
  let at = 0;
  let next = context;
  while (at < text.length) [next, at] = step(next, text, at);
  return next;
}

/** @param text what the value prints */
export function escapeJsIn({ mode }: JsContext, value: Value, text: string): string {
  switch (mode) {
    case 'code':
      return jsValue(value);
    case 'template':
      return escapeJsTemplate(text);
    case 'regexp':
      return escapeJsRegexp(text);
    case 'double':
    case 'single':
      return escapeJsString(text);
    default:
      return '';
  }
}

/** After a value: it is an operand. */
export const afterJsValue = (context: JsContext): JsContext =>
  context.mode === 'code' ? { ...context, divides: true } : context;

type Step = [next: JsContext, at: number];

function step(context: JsContext, text: string, at: number): Step {
  switch (context.mode) {
    case 'code':
      return stepCode(context, text, at);
    case 'template':
      return stepTemplate(context, text, at);
    case 'block comment': {
      const end = text.indexOf('*/', at);
      return end < 0 ? [context, text.length] : [{ ...context, mode: 'code' }, end + 2];
    }
    case 'line comment': {
      const end = /[\n\r\u2028\u2029]/g;
      end.lastIndex = at;
      const found = end.exec(text);
      return found === null ? [context, text.length] : [{ ...context, mode: 'code' }, found.index];
    }
    default:
      return stepQuoted(context, text, at);
  }
}

const QUOTES: Readonly<Record<string, Mode>> = { '"': 'double', "'": 'single', '`': 'template' };

function stepCode(context: JsContext, text: string, at: number): Step {
  const special = /["'`/{}]|<!--|-->|#!/g;
  special.lastIndex = at;
  const found = special.exec(text);
  const divides = canDivideAfter(text.slice(at, found?.index ?? text.length), context.divides);
  if (found === null) return [{ ...context, divides }, text.length];
  const [mark] = found;
  const end = found.index + mark.length;
  const { braces } = context;
  if (QUOTES[mark] !== undefined) return [{ ...context, mode: QUOTES[mark], divides: false }, end];
  if (mark === '{') return [{ ...context, divides: false, braces: openBrace(braces) }, end];
  if (mark === '}') {
    const isHoleEnd = braces.at(-1) === 0;
    if (isHoleEnd) return [{ mode: 'template', divides: false, braces: braces.slice(0, -1) }, end];
    return [{ ...context, divides: false, braces: closeBrace(braces) }, end];
  }
  if (mark !== '/') return [{ ...context, divides, mode: 'line comment' }, end];
  if (text[end] === '/') return [{ ...context, divides, mode: 'line comment' }, end + 1];
  if (text[end] === '*') return [{ ...context, divides, mode: 'block comment' }, end + 1];
  return [divides ? { ...context, divides: false } : { ...context, mode: 'regexp', divides }, end];
}

const openBrace = (braces: readonly number[]): readonly number[] =>
  braces.length === 0 ? braces : [...braces.slice(0, -1), braces.at(-1)! + 1];
const closeBrace = (braces: readonly number[]): readonly number[] =>
  braces.length === 0 ? braces : [...braces.slice(0, -1), braces.at(-1)! - 1];

const BEFORE_REGEXP =
  /(?:^|[^\w$])(?:break|case|continue|delete|do|else|finally|in|instanceof|return|throw|try|typeof|void)$/;

/** @param text code without quotes, slashes and braces @param before what held in front of it */
function canDivideAfter(text: string, before: boolean): boolean {
  const code = text.trimEnd();
  if (code === '') return before;
  const signs = /(\++|-+)$/.exec(code);
  // `a++ / b`, but `a + /b/`.
  if (signs !== null) return signs[1]!.length % 2 === 0;
  if (code.endsWith('.')) return /\d\.$/.test(code);
  return !/[,<>=*%&|^?!~([:;]$/.test(code) && !BEFORE_REGEXP.test(code);
}

function stepTemplate(context: JsContext, text: string, at: number): Step {
  for (let place = at; place < text.length; place++) {
    const character = text[place];
    if (character === '\\') {
      place += 1;
      if (place === text.length) throw partialEscape();
    } else if (character === '`') return [{ ...context, mode: 'code', divides: true }, place + 1];
    else if (character === '$' && text[place + 1] === '{') {
      return [{ mode: 'code', divides: false, braces: [...context.braces, 0] }, place + 2];
    }
  }
  return [context, text.length];
}

function stepQuoted(context: JsContext, text: string, at: number): Step {
  const end = { double: '"', single: "'", regexp: '/' }[context.mode as 'double' | 'single' | 'regexp'];
  let isInSet = false;
  for (let place = at; place < text.length; place++) {
    const character = text[place];
    if (character === '\\') {
      place += 1;
      if (place === text.length) throw partialEscape();
    } else if (context.mode === 'regexp' && (character === '[' || character === ']')) isInSet = character === '[';
    else if (character === end && !isInSet) return [{ ...context, mode: 'code', divides: true }, place + 1];
  }
  if (isInSet) throw new TemplateError('A value cannot stand in the brackets of a regular expression: use (a|b)');
  return [context, text.length];
}

const partialEscape = () => new TemplateError('A value cannot follow a backslash in a script: remove the backslash');
