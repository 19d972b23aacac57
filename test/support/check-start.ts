import ts from 'typescript';
import { lineOf, parseSource, walk } from './parse-source.js';

/** Rules that do not apply to a file. */
export interface Exemptions {
  readonly readsEnvironment?: boolean;
  /** An entry: a process or thread starts with it. */
  readonly starts?: boolean;
  /** Loads modules by names that the import rules cannot follow. */
  readonly loadsComputed?: boolean;
  /** Replaces a global of its thread. */
  readonly replacesGlobals?: boolean;
}

/** @returns one sentence for each thing a file does on import, reads from the environment or loads by a computed name */
export function findSideEffects(path: string, text: string, may: Exemptions = {}): string[] {
  const source = parseSource(path, text);
  const faults: string[] = [];
  const report = (node: ts.Node, what: string) => faults.push(`${path}:${lineOf(source, node)} ${what}`);
  if (!may.starts) {
    for (const statement of source.statements) {
      if (!isDeclaration(statement)) report(statement, 'does something when it is imported');
      else if (ts.isVariableStatement(statement) && awaits(statement)) report(statement, 'waits when it is imported');
    }
  }
  walk(source, (node) => {
    if (!may.loadsComputed && loadsComputed(node)) report(node, 'loads a module by a computed name');
    if (ts.isIdentifier(node) && node.text === 'globalThis' && !may.replacesGlobals)
      report(node, 'reads globals by globalThis');
    if (!ts.isIdentifier(node) || node.text !== 'process' || isMemberName(node)) return;
    const { parent } = node;
    const member = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : undefined;
    if (member === 'env' && !may.readsEnvironment) report(node, 'reads the environment');
    if (member === undefined) report(node, 'passes all of process on, environment included');
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

/** `import(name)`, `import.meta.resolve()`, and what leads to a `require` of its own. */
function loadsComputed(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return node.text === 'createRequire' && ts.isImportSpecifier(node.parent);
  if (ts.isPropertyAccessExpression(node)) return ts.isMetaProperty(node.expression) && node.name.text === 'resolve';
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return false;
  return !ts.isStringLiteral(node.arguments[0]!);
}

/** Await in the statement itself, not in a function that it declares. */
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
