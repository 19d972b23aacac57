import ts from 'typescript';
import { lineOf, parseSource, walk } from './parse-source.js';
import type { SourceFile } from './source-tree.js';

const VERBS = ['any', 'get', 'post', 'put', 'patch', 'del', 'delete', 'head', 'options', 'connect', 'trace', 'ws'];
const VERB = new RegExp(`\\.\\s*(?:${VERBS.join('|')})\\b`);

/** Parsing takes a hundred times longer than this. */
const mayRegister = (text: string): boolean =>
  (/\bpath\b/.test(text) && /\bhandler\b/.test(text)) || (/['"`]\//.test(text) && VERB.test(text));

/** Finds where routes are registered: an object with `path` and `handler`, or a method of the engine with a pattern. */
export function findRegistrations({ path, text }: SourceFile): string[] {
  if (!mayRegister(text)) return [];
  const source = parseSource(path, text);
  const places: string[] = [];
  walk(source, (node) => {
    if (isRow(node) || isEngineRoute(node)) places.push(`${path}:${lineOf(source, node)}`);
  });
  return places;
}

function isRow(node: ts.Node): boolean {
  if (!ts.isObjectLiteralExpression(node)) return false;
  const names = new Set(node.properties.map((property) => property.name?.getText().replaceAll(/['"]/g, '')));
  return names.has('path') && names.has('handler');
}

/** `app.get('/x', …)`: two arguments or more, the first a string with a leading slash. */
function isEngineRoute(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [pattern, handler] = node.arguments;
  if (!VERBS.includes(node.expression.name.text) || handler === undefined || pattern === undefined) return false;
  return ts.isStringLiteralLike(pattern) && pattern.text.startsWith('/');
}
