import ts from 'typescript';
import { parseSource } from './parse-source.js';
import type { SourceFile } from './source-tree.js';

/**
 * Names of settings that code reads: as a member, in a destructuring, or as a key in text. A name of several words
 * (`jwtSecret`) is unambiguous; one of a single word (`port`) counts as a member of `config` or `settings`.
 */
export function findSettingReads(files: readonly SourceFile[]): Set<string> {
  const read = new Set<string>();
  const note = (name: string, owner: string): void => {
    if (/[A-Z]/.test(name) || /\b(?:config|settings|mails\[\w+\])$/.test(owner)) read.add(name);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isPropertyAccessExpression(node)) {
      note(node.name.text, node.expression.getText());
    } else if (ts.isObjectBindingPattern(node)) {
      const { parent } = node;
      const owner = ts.isVariableDeclaration(parent) ? (parent.initializer?.getText() ?? '') : '';
      for (const { propertyName, name } of node.elements) note((propertyName ?? name).getText(), owner);
    } else if (ts.isStringLiteralLike(node)) {
      note(node.text, '');
    }
    ts.forEachChild(node, visit);
  };
  for (const { path, text } of files) visit(parseSource(path, text));
  return read;
}
