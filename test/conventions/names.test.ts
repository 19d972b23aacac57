/** No two exports and no two files have the same name, so that a search finds one thing. */
import { posix } from 'node:path';
import ts from 'typescript';
import { parseSource } from '../support/parse-source.js';
import { readTree, type SourceFile } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a rule for sources, which --changed and test:full check');

/** Folders whose files are named after a URL, a command, a SQL file or a settings page, and so may share that name. */
const NAMED_AFTER = /^src\/(?:db|dev|server\/(?:(?:console\/)?endpoints|commands|checks|cli|config))\//;
/** Names with the same meaning in every folder. */
const SHARED_FILES = new Set(['index.ts', 'contract.ts', 'types.ts', 'errors.ts']);
/** Every provider file exports it. */
const SHARED_EXPORTS = new Set(['provider']);

/** @returns the names of values and types that a file declares and exports */
function readExports({ path, text }: SourceFile): string[] {
  return parseSource(path, text).statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    return [(statement as ts.DeclarationStatement).name!.getText()];
  });
}

/** @returns `name: place, place` for each name that has several places */
function findShared(places: readonly (readonly [name: string, place: string])[]): string[] {
  const byName = new Map<string, Set<string>>();
  for (const [name, place] of places) byName.set(name, (byName.get(name) ?? new Set()).add(place));
  return [...byName].filter(([, set]) => set.size > 1).map(([name, set]) => `${name}: ${[...set].join(', ')}`);
}

const files = readTree(['src'], '.ts');

t.test('no two files export the same name', async (t) => {
  const exports = files.flatMap((file) => readExports(file).map((name) => [name, file.path] as const));
  t.ok(exports.length > 500);
  t.same(findShared(exports.filter(([name]) => !SHARED_EXPORTS.has(name))), []);
});

t.test('no two folders have a file of the same name', async (t) => {
  const named = files
    .filter(({ path }) => !NAMED_AFTER.test(path))
    .map(({ path }) => [posix.basename(path), path] as const);
  t.ok(named.length > 100);
  t.same(findShared(named.filter(([name]) => !SHARED_FILES.has(name))), []);
});

t.test('a shared name is found', async (t) => {
  const text = 'export const a = 1; export function b() {} export type C = 1; export class D {} const e = 1;';
  t.same(readExports({ path: 'x.ts', text }), ['a', 'b', 'C', 'D']);
  t.same(
    findShared([
      ['a', 'x.ts'],
      ['a', 'y.ts'],
      ['b', 'x.ts'],
      ['b', 'x.ts'],
    ]),
    ['a: x.ts, y.ts'],
  );
});
