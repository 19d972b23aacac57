/**
 * What an SVG must not contain. It is shown as an image, where browsers run no scripts and load nothing, and is served
 * under a policy of its own; this is so that it does nothing else where it is opened alone.
 */

const refusals: readonly (readonly [problem: string, pattern: RegExp])[] = [
  ['a document type with declarations', /<!ENTITY|<!DOCTYPE[^<>[]*\[/i],
  ['an encoding other than UTF-8', /^\s*<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["'])/i],
  ['elements of HTML', /1999\/xhtml/i],
  ['a style sheet from elsewhere', /<\?xml-stylesheet/i],
  // Escaped, what the patterns look for would not be seen.
  ['escaped characters in styles', /\\/],
  ['a choice of images', /image-set\s*\(/i],
  [
    'a script, or a document of another kind',
    /<(?:[\w-]+:)?(?:script|handler|listener|foreignObject|iframe|embed|object|audio|video)\b/i,
  ],
  ['a handler of events', /[\s"'/]on[a-z]+\s*=/i],
  ['an animation of a link or handler', /attributeName\s*=\s*(?:["'][^"']*&|["']?\s*(?:[\w-]+:)?(?:href|on))/i],
  ['a base address', /\bxml:base\s*=/i],
];

/** Own parts and pictures that it contains. */
const ALLOWED_TARGET = /^(?:#|data:image\/(?:png|jpeg|gif|webp)[;,])/i;
const TARGETS = /(?:\b(?:href|src)\s*=\s*|\burl\(\s*|@import\s*)(?:"([^"]*)"|'([^']*)'|([^\s)>]*))/gi;

/** @returns what is wrong, to follow the name of a setting; null: nothing */
export function findSvgFault(text: string): string | null {
  const refused = refusals.find(([, pattern]) => pattern.test(text));
  if (refused !== undefined) return `must be an SVG without ${refused[0]}`;
  const targets = [...text.matchAll(TARGETS)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
  return targets.every((target) => ALLOWED_TARGET.test(target.trim()))
    ? null
    : 'must be an SVG that loads nothing: only its own parts and pictures that it contains';
}
