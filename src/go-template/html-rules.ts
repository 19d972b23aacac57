/** What the state machine of html-tokens.ts reports, and rules it follows. */
import type { AttributeKind } from './attributes.js';
import { TemplateError } from './error.js';

/** A piece of an attribute value, or of the content of a raw element. */
export interface Literal {
  readonly kind: AttributeKind;
  readonly text: string;
  /** The value or content begins with it; the text may be empty then. */
  readonly isStart: boolean;
  readonly isAttribute: boolean;
}

/** Where a value stands. */
export type ValuePlace =
  /** In place of an attribute's name, or behind the beginning of one. */
  | { readonly in: 'name'; readonly prefix: string }
  | { readonly in: 'text' }
  | { readonly in: 'raw'; readonly kind: AttributeKind }
  | { readonly in: 'attribute'; readonly kind: AttributeKind; readonly isQuoted: boolean };

export const RAW_ELEMENTS: ReadonlySet<string> = new Set('script style title textarea xmp iframe noembed'.split(' '));

/** Values of `type` with which the content of a script element is code or JSON; other content is markup. */
export const SCRIPT_TYPE =
  /^\s*(?:(?:application|text)\/(?:x-)?(?:ecma|java)script(?:1\.[0-5])?|application\/(?:ld\+)?json|module|text\/(?:jscript|livescript))?\s*(?:;|$)/i;

export const tagName = (carry: string) =>
  new TemplateError(`A value cannot be part of a tag (${carry}): write the tag out, with {{ if }}`);
export const openName = () =>
  new TemplateError('The name of an attribute cannot go on behind a value: put the whole name into one value');

export const RAW_KINDS: Readonly<Record<string, AttributeKind>> = { script: 'js', style: 'css' };

/** @returns the longest end of `text` that `mark` begins with */
export function longestOverlap(text: string, mark: string): string {
  for (let at = 0; at < text.length; at++) if (mark.startsWith(text.slice(at))) return text.slice(at);
  return '';
}

export function indexOfPattern(source: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.index ?? source.length;
}
