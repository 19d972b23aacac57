/** Parses what stands inside of an action. */
import { TemplateError } from './error.js';
import type { Token } from './lexer.js';
import type { Expression } from './nodes.js';

/**
 * @param functions names that can be called
 * @param depth how deep parentheses may nest
 * @throws TemplateError
 */
export function readPipeline(tokens: readonly Token[], functions: ReadonlySet<string>, depth: number): Expression {
  if (depth < 0) throw new TemplateError('Blocks and parentheses nest too deep');
  if (tokens.length === 0) throw new TemplateError('A value is missing');
  let value: Expression | null = null;
  for (const command of splitAtBars(tokens)) value = readCommand(command, value, functions, depth);
  return value!;
}

function readCommand(
  tokens: readonly Token[],
  piped: Expression | null,
  functions: ReadonlySet<string>,
  depth: number,
): Expression {
  const [first] = tokens;
  if (first?.kind === 'name' && !first.value.startsWith('$')) {
    if (!functions.has(first.value)) throw unknownFunction(first.value);
    const values = readOperands(tokens.slice(1), functions, depth);
    return { type: 'call', name: first.value, values: piped === null ? values : [...values, piped] };
  }
  const [operand, ...others] = readOperands(tokens, functions, depth);
  if (operand === undefined) throw new TemplateError('A value is missing');
  if (others.length > 0 || piped !== null) throw new TemplateError('Only functions take arguments');
  return operand;
}

function readOperands(tokens: readonly Token[], functions: ReadonlySet<string>, depth: number): Expression[] {
  const operands: Expression[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.kind === 'literal') operands.push({ type: 'literal', value: token.value });
    else if (token.kind === 'path') operands.push({ type: 'path', from: 'dot', path: token.value });
    else if (token.kind === 'name') {
      if (token.value.startsWith('$')) operands.push(withPath({ type: 'variable', name: token.value }));
      else if (functions.has(token.value)) operands.push({ type: 'call', name: token.value, values: [] });
      else throw unknownFunction(token.value);
    } else if (token.value === '(') {
      const close = closingAt(tokens, at);
      const inner = readPipeline(tokens.slice(at + 1, close), functions, depth - 1);
      at = close;
      operands.push(withPath(inner));
    } else throw new TemplateError(`Unexpected ${token.value} in place of a value`);

    // `$x.Name` and `(…).Name`: the path applies to its predecessor.
    function withPath(from: Expression): Expression {
      const next = tokens[at + 1];
      if (next?.kind !== 'path' || next.value.length === 0) return from;
      at += 1;
      return { type: 'path', from, path: next.value };
    }
  }
  return operands;
}

const unknownFunction = (name: string): TemplateError =>
  name === 'call'
    ? new TemplateError('The function call is not supported, for no variable is a function: remove it')
    : new TemplateError(`Unknown function ${name}: a variable begins with a point, .${name}`);

function splitAtBars(tokens: readonly Token[]): Token[][] {
  const commands: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'punctuation') {
      if (token.value === '(') depth += 1;
      else if (token.value === ')') depth -= 1;
      else if (token.value === '|' && depth === 0) {
        commands.push([]);
        continue;
      }
    }
    commands.at(-1)!.push(token);
  }
  return commands;
}

function closingAt(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.kind !== 'punctuation') continue;
    if (token.value === '(') depth += 1;
    else if (token.value === ')' && --depth === 0) return at;
  }
  throw new TemplateError('A parenthesis is not closed');
}
