import ts from 'typescript';
import { lineOf, parseSource, walk } from './read-imports.js';
import type { SourceFile } from './source-tree.js';

export const MOST_LINES = 250;
/** The one place that leaves a test out, with its reason. */
const SKIPS = 'test/support/not-here.ts';

/** Written with a class each, so that the rule does not find itself. */
const UNFINISHED = /\b(?:TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/;
const MACHINE_PATH = /(?<![\w.:/<>{}-])(?:\/(?:home|Users|root|work|workspace)\/|[A-Z]:\\Users\\)[\w.-]/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)+$/;
const MIGRATION = /^\d{5}_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/;

/** What is wrong with any text file of the repository, program or prose. */
export function findTextFaults({ path, text }: SourceFile): string[] {
  const faults: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (UNFINISHED.test(line)) faults.push(`${path}:${index + 1} says that something is unfinished`);
    if (MACHINE_PATH.test(line)) faults.push(`${path}:${index + 1} names a path of somebody's machine`);
  }
  return faults;
}

/** Whether a file's name fits: kebab-case, and `00001_what_it_does.sql` for migrations. */
export function findNameFaults(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isFine = path.startsWith('sql/migrations/') ? MIGRATION.test(name) : KEBAB.test(name);
  return isFine ? [] : [`${path} is not in kebab-case`];
}

/** What is wrong with a TypeScript file wherever it lies. */
export function findScriptFaults({ path, text }: SourceFile): string[] {
  const source = parseSource(path, text);
  const faults: string[] = [];
  const report = (node: ts.Node, what: string) => faults.push(`${path}:${lineOf(source, node)} ${what}`);
  const isTest = path.startsWith('test/');
  const isServer = path.startsWith('src/');
  walk(source, (node) => {
    if (ts.isExportAssignment(node) || isDefaultExport(node)) report(node, 'has a default export');
    if (isServer && ts.isIdentifier(node) && node.text === 'console') report(node, 'writes to the console');
    if (isTest && path !== SKIPS && (isPassedOver(node) || isEmptyPass(node))) report(node, 'leaves out tests');
  });
  return faults;
}

/** @param exceptions path → why it is allowed to be longer */
export function findLongFiles(files: readonly SourceFile[], exceptions: Readonly<Record<string, string>>): string[] {
  const faults: string[] = [];
  for (const { path, text } of files) {
    const lines = text.trimEnd().split('\n').length;
    const isExcepted = Object.hasOwn(exceptions, path);
    if (lines > MOST_LINES && !isExcepted) faults.push(`${path} has ${lines} lines, more than ${MOST_LINES}`);
    if (lines <= MOST_LINES && isExcepted) faults.push(`${path} is short enough and needs no exception`);
  }
  const paths = new Set(files.map(({ path }) => path));
  for (const path of Object.keys(exceptions)) if (!paths.has(path)) faults.push(`${path} is excepted and gone`);
  return faults;
}

/** `t.pass('not run: …')` and `t.plan(0)`, which count as passed or as nothing: {@link SKIPS} has the word for it. */
function isEmptyPass(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const first = node.arguments[0]?.getText() ?? '';
  const { text } = node.expression.name;
  return (text === 'pass' && /^['"`](?:not run|skip)/i.test(first)) || (text === 'plan' && first === '0');
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true
  );
}

/** `t.only()`, `t.skip()`, `t.todo()`, and the options of the same names on a call of `test`. */
function isPassedOver(node: ts.Node): boolean {
  const words = ['only', 'skip', 'todo'];
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  const isOnTest = ts.isIdentifier(expression) && /^t\d*$|^tap$|[tT]est$/.test(expression.text);
  if (words.includes(name.text)) return isOnTest || ts.isPropertyAccessExpression(expression);
  if (name.text !== 'test') return false;
  return node.arguments.some(
    (argument) =>
      ts.isObjectLiteralExpression(argument) &&
      argument.properties.some((property) => property.name !== undefined && words.includes(property.name.getText())),
  );
}
