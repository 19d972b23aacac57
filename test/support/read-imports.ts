import ts from 'typescript';

/** One place where a file names another module. */
export interface ImportUse {
  /** As written; null where it is computed, so that nobody can tell what is loaded. */
  readonly specifier: string | null;
  readonly line: number;
  /** Nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

/** @param path decides nothing but what is shown in messages of the parser */
export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Line of a node, from 1. */
export function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

/** Calls `visit` on every node below one. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  ts.forEachChild(node, (child) => {
    visit(child);
    walk(child, visit);
  });
}

/**
 * Every import of a file: `import`, `export … from`, `import()`, `import('x').T`, `import x = require()`, and what a
 * `createRequire` function, `require` or `import.meta` is asked to load or to find.
 */
export function readImports(source: ts.SourceFile): ImportUse[] {
  const constants = readStringConstants(source);
  const requires = readRequireNames(source);
  const uses: ImportUse[] = [];
  const add = (node: ts.Node, target: ts.Node | undefined, isTypeOnly: boolean) => {
    let specifier: string | null = null;
    if (target !== undefined && !ts.isIdentifier(target)) specifier = readText(target);
    else if (target !== undefined && ts.isIdentifier(target)) specifier = constants.get(target.text) ?? null;
    uses.push({ specifier, line: lineOf(source, node), isTypeOnly });
  };
  walk(source, (node) => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeImport(node.importClause));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      add(node, node.moduleSpecifier, node.isTypeOnly || hasOnlyTypes(node.exportClause));
    } else if (ts.isImportTypeNode(node)) {
      add(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isExternalModuleReference(node)) add(node, node.expression, false);
    else if (ts.isCallExpression(node) && isLoading(node.expression, requires)) add(node, node.arguments[0], false);
  });
  return uses;
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  return clause.name === undefined && hasOnlyTypes(clause.namedBindings);
}

function hasOnlyTypes(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (bindings === undefined || (!ts.isNamedImports(bindings) && !ts.isNamedExports(bindings))) return false;
  const elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] = [...bindings.elements];
  return elements.length > 0 && elements.every((element) => element.isTypeOnly);
}

/** `const NAME = 'text'`, so that a name in front of import() is no way around. */
function readStringConstants(source: ts.SourceFile): Map<string, string> {
  const constants = new Map<string, string>();
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return;
    const text = readText(node.initializer);
    if (text !== null) constants.set(node.name.text, text);
  });
  return constants;
}

/**
 * A string as it stands; of a template that begins with a scope, `@scope/*`; of `./${name}.js`, `./*.js`: any file beside
 * this one. Null for what only running would tell.
 */
function readText(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  const [{ literal } = { literal: undefined }, ...others] = node.templateSpans;
  if (others.length === 0 && node.head.text === './' && literal?.text === '.js') return './*.js';
  const scope = /^@[\w.-]+\//.exec(node.head.text);
  return scope === null ? null : `${scope[0]}*`;
}

/** Names that hold what createRequire() gave, and `require` itself. */
function readRequireNames(source: ts.SourceFile): Set<string> {
  const names = new Set(['require']);
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return;
    if (isCreateRequire(node.initializer)) names.add(node.name.text);
  });
  return names;
}

function isCreateRequire(node: ts.Expression): boolean {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'createRequire';
}

function isLoading(callee: ts.Expression, requires: ReadonlySet<string>): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  const isRequire = (node: ts.Expression) =>
    isCreateRequire(node) || (ts.isIdentifier(node) && requires.has(node.text)) || ts.isMetaProperty(node);
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text === 'resolve' && isRequire(callee.expression);
  return isRequire(callee);
}
