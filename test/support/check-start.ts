import ts from 'typescript';
import { lineOf, parseSource, walk } from './read-imports.js';

/**
 * What a file reads or does beyond declaring things (design.md 1.5: nothing reads the environment or starts anything at
 * import time).
 * @param may.readEnvironment the one file that may say process.env
 * @param may.start an entry, which is loaded in order to do something
 */
export function findSideEffects(
  path: string,
  text: string,
  may: { readEnvironment?: boolean; start?: boolean } = {},
): string[] {
  const source = parseSource(path, text);
  const faults: string[] = [];
  const report = (node: ts.Node, what: string) => faults.push(`${path}:${lineOf(source, node)} ${what}`);
  if (!may.start) {
    for (const statement of source.statements) {
      if (!isDeclaration(statement)) report(statement, 'does something when it is imported');
      else if (ts.isVariableStatement(statement) && awaits(statement)) report(statement, 'waits when it is imported');
    }
  }
  walk(source, (node) => {
    if (ts.isIdentifier(node) && node.text === 'globalThis') report(node, 'goes around the names of globals');
    if (!ts.isIdentifier(node) || node.text !== 'process' || isMemberName(node)) return;
    const { parent } = node;
    const member = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : undefined;
    if (member === 'env' && !may.readEnvironment) report(node, 'reads the environment');
    if (member === undefined) report(node, 'hands the whole of process around, environment included');
  });
  return faults;
}

function isDeclaration(statement: ts.Statement): boolean {
  return (
    ts.isImportDeclaration(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isExportAssignment(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isVariableStatement(statement)
  );
}

/** Await in the statement itself; in a function it waits until somebody calls. */
function awaits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true;
  return !ts.isFunctionLike(node) && ts.forEachChild(node, (child) => awaits(child) || undefined) === true;
}

/** `process` as the name of a member: `job.process`, `{ process: … }`. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent)) &&
    parent.name === node
  );
}
