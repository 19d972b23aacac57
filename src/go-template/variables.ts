/** Which values a template reads. */
import { functionNames } from './functions.js';
import type { Expression, Node } from './nodes.js';
import { parseTemplate } from './parser.js';

/**
 * Names of the values that the main template reads at its top: `Email` of `{{ .Email }}` and `{{ $.Email }}`. What a block
 * with a dot of its own reads, and templates that it calls, is left out.
 * @throws TemplateError for a syntax error
 */
export function listVariables(source: string): readonly string[] {
  const found = new Set<string>();
  const read = (expression: Expression, isTop: boolean): void => {
    if (expression.type === 'call') for (const value of expression.values) read(value, isTop);
    if (expression.type !== 'path') return;
    const { from, path } = expression;
    if (from !== 'dot') {
      if (from.type === 'variable' && from.name === '$' && path[0] !== undefined) found.add(path[0]);
      else read(from, isTop);
    } else if (isTop && path[0] !== undefined) found.add(path[0]);
  };
  const walk = (nodes: readonly Node[], isTop: boolean): void => {
    for (const node of nodes) {
      if ('value' in node && node.value !== null) read(node.value, isTop);
      if (!('body' in node)) continue;
      walk(node.body, isTop && node.type === 'if');
      walk(node.otherwise, isTop);
    }
  };
  walk(parseTemplate(source, functionNames).nodes, true);
  return [...found];
}
