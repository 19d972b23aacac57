/** Follows the literal CSS of a template, and escapes a value for its place in it. */
import { decodeCss, escapeCss, filterCss } from './css-escape.js';
import { TemplateError } from './error.js';
import { escapeUrl, followUrl, hasSafeScheme, REJECTED_URL, type UrlPart } from './url-parts.js';

type Mode = 'rules' | 'double' | 'single' | 'double url' | 'single url' | 'url' | 'block comment' | 'line comment';

export interface CssContext {
  readonly mode: Mode;
  /** Every string may be a URL. */
  readonly part: UrlPart;
}

export const CSS_START: CssContext = { mode: 'rules', part: 'start' };

/** @throws TemplateError where the next value would follow a backslash */
export function followCss(context: CssContext, text: string): CssContext {
  let at = 0;
  let next = context;
  while (at < text.length) [next, at] = step(next, text, at);
  return next;
}

export function escapeCssIn({ mode, part }: CssContext, text: string, isEncoded: boolean): string {
  switch (mode) {
    case 'rules':
      return filterCss(text);
    case 'double':
    case 'single':
      if (part === 'query') return escapeUrl(part, text, isEncoded);
      return escapeCss(part === 'start' && !hasSafeScheme(text) ? REJECTED_URL : text);
    case 'double url':
    case 'single url':
    case 'url':
      return escapeUrl(part, text, isEncoded);
    default:
      return '';
  }
}

type Step = [next: CssContext, at: number];

function step(context: CssContext, text: string, at: number): Step {
  if (context.mode === 'rules') return stepRules(text, at);
  if (context.mode === 'block comment' || context.mode === 'line comment') {
    const end = context.mode === 'block comment' ? /\*\//g : /[\n\f\r]/g;
    end.lastIndex = at;
    return end.exec(text) === null ? [context, text.length] : [CSS_START, end.lastIndex];
  }
  return stepString(context, text, at);
}

function stepRules(text: string, at: number): Step {
  const special = /["']|\/[/*]|(?<![\w\u0080-\u{10ffff}-])url[ \t\n\f\r]*\([ \t\n\f\r]*["']?/giu;
  special.lastIndex = at;
  const found = special.exec(text);
  if (found === null) return [CSS_START, text.length];
  const [mark] = found;
  const end = special.lastIndex;
  if (mark === '//') return [{ ...CSS_START, mode: 'line comment' }, end];
  if (mark === '/*') return [{ ...CSS_START, mode: 'block comment' }, end];
  const quote = mark.endsWith('"') ? 'double' : mark.endsWith("'") ? 'single' : null;
  const isUrl = mark.length > 1;
  const mode: Mode = quote === null ? 'url' : isUrl ? `${quote} url` : quote;
  return [{ mode, part: 'start' }, end];
}

function stepString(context: CssContext, text: string, at: number): Step {
  const ends = context.mode === 'url' ? '\t\n\f\r )' : context.mode.startsWith('double') ? '"' : "'";
  let place = at;
  while (place < text.length && !ends.includes(text[place]!)) {
    if (text[place] === '\\') {
      place += 1;
      if (place === text.length) {
        throw new TemplateError('A value cannot follow a backslash in a style: remove the backslash');
      }
    }
    place += 1;
  }
  if (place < text.length) return [CSS_START, place + 1];
  return [{ ...context, part: followUrl(context.part, decodeCss(text.slice(at))) }, place];
}
