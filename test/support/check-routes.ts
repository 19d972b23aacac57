import ts from 'typescript';
import type { Auth, Method } from '../../src/server/http/types.js';
import { lineOf, parseSource, walk } from './read-imports.js';
import type { SourceFile } from './source-tree.js';

export interface RouteRow {
  readonly method: Method;
  readonly path: string;
  readonly auth: Auth;
}

/** `POST /signup` → what it asks of its caller. */
export type DocumentedRoutes = Readonly<Record<string, Auth>>;

/**
 * Holds the table of routes against the documents (SEC-59).
 * @param planned documented, and not built yet
 */
export function findRouteFaults(
  rows: readonly RouteRow[],
  documented: DocumentedRoutes,
  planned: readonly string[],
): string[] {
  const faults: string[] = [];
  const built = new Set<string>();
  for (const { method, path, auth } of rows) {
    const name = `${method} ${path}`;
    if (built.has(name)) faults.push(`${name} has two rows`);
    built.add(name);
    if (!Object.hasOwn(documented, name)) faults.push(`${name} is not documented`);
    else if (documented[name] !== auth) faults.push(`${name} asks for ${auth}, the documents say ${documented[name]}`);
    if (planned.includes(name)) faults.push(`${name} is built and still listed as planned`);
  }
  for (const name of Object.keys(documented)) {
    if (!built.has(name) && !planned.includes(name)) faults.push(`${name} has no row in the table of routes`);
  }
  for (const name of planned) if (!Object.hasOwn(documented, name)) faults.push(`${name} is planned by nobody`);
  return faults;
}

/** Where a route is made: a row (`{ method, path, handler }`), or a method of the engine that takes a pattern. */
export function findRegistrations({ path, text }: SourceFile): string[] {
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

/** `app.get('/x', …)`: two arguments or more, the first a text that begins with a slash. */
function isEngineRoute(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [pattern, handler] = node.arguments;
  const verbs = ['any', 'get', 'post', 'put', 'patch', 'del', 'delete', 'head', 'options', 'connect', 'trace', 'ws'];
  if (!verbs.includes(node.expression.name.text) || handler === undefined || pattern === undefined) return false;
  return ts.isStringLiteralLike(pattern) && pattern.text.startsWith('/');
}
