import { TemplateError } from './error.js';
import { type Piece, splitTemplate, type Token } from './lexer.js';

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'print'; readonly value: Expression }
  | { readonly type: 'set'; readonly name: string; readonly isNew: boolean; readonly value: Expression }
  | {
      readonly type: 'if' | 'with';
      readonly name: string | null;
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | {
      readonly type: 'range';
      readonly index: string | null;
      readonly element: string | null;
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  /** A path from the dot, a variable or a parenthesized pipeline. */
  | { readonly type: 'path'; readonly from: Expression | 'dot'; readonly path: readonly string[] }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'call'; readonly name: string; readonly values: readonly Expression[] };

const MAX_DEPTH = 32;
const BLOCKS = new Set(['if', 'with', 'range']);
const UNSUPPORTED = new Set(['define', 'template', 'block', 'break', 'continue']);

/** @throws TemplateError for a syntax error and for syntax outside of the subset */
export function parseTemplate(source: string, functions: ReadonlySet<string>): readonly Node[] {
  const parser = new Parser(splitTemplate(source), functions);
  return parser.readAll();
}

class Parser {
  #at = 0;
  /** Depth of blocks and parentheses; the limit bounds the recursion. */
  #depth = 0;
  readonly pieces: readonly Piece[];
  readonly functions: ReadonlySet<string>;

  constructor(pieces: readonly Piece[], functions: ReadonlySet<string>) {
    this.pieces = pieces;
    this.functions = functions;
  }

  readAll(): readonly Node[] {
    const { nodes, ended } = this.#readNodes();
    if (ended !== null) throw new TemplateError(`{{ ${ended} }} without a block`);
    return nodes;
  }

  /** Reads up to the end of the text, `end` or `else`; the caller parses the tokens behind `else`. */
  #readNodes(): { nodes: Node[]; ended: 'end' | 'else' | null; rest: readonly Token[] } {
    const nodes: Node[] = [];
    while (this.#at < this.pieces.length) {
      const piece = this.pieces[this.#at++]!;
      if ('text' in piece) {
        nodes.push({ type: 'text', text: piece.text });
        continue;
      }
      const [first, ...rest] = piece.tokens;
      if (first === undefined) throw new TemplateError('An action is empty');
      const keyword = first.kind === 'name' ? first.value : '';
      if (keyword === 'end' || keyword === 'else') return { nodes, ended: keyword, rest };
      if (UNSUPPORTED.has(keyword)) throw new TemplateError(`{{ ${keyword} }} is not supported`);
      nodes.push(BLOCKS.has(keyword) ? this.#readBlock(keyword, rest) : this.#readAction(piece.tokens));
    }
    return { nodes, ended: null, rest: [] };
  }

  #readAction(tokens: readonly Token[]): Node {
    const { names, isNew, rest } = readAssignment(tokens);
    const value = this.#readPipeline(rest);
    if (names.length === 0) return { type: 'print', value };
    if (names.length > 1) throw new TemplateError('Only range declares two variables');
    return { type: 'set', name: names[0]!, isNew, value };
  }

  #readBlock(keyword: string, tokens: readonly Token[]): Node {
    const { names, rest } = readAssignment(tokens);
    if (names.length > (keyword === 'range' ? 2 : 1))
      throw new TemplateError(`{{ ${keyword} }} declares too many variables`);
    const value = this.#readPipeline(rest);
    this.#enter();
    const { nodes: body, ended, rest: afterElse } = this.#readNodes();
    if (ended === null) throw new TemplateError(`{{ ${keyword} }} has no {{ end }}`);
    const otherwise = ended === 'else' ? this.#readElse(afterElse) : [];
    this.#depth -= 1;
    if (keyword === 'range') {
      const [index, element] = names.length === 2 ? [names[0]!, names[1]!] : [null, names[0] ?? null];
      return { type: 'range', index, element, value, body, otherwise };
    }
    return { type: keyword as 'if' | 'with', name: names[0] ?? null, value, body, otherwise };
  }

  /** `else`, or `else if …`, whose `end` closes the whole chain. */
  #readElse(tokens: readonly Token[]): readonly Node[] {
    const [first, ...rest] = tokens;
    if (first?.kind === 'name' && (first.value === 'if' || first.value === 'with')) {
      return [this.#readBlock(first.value, rest)];
    }
    if (first !== undefined) throw new TemplateError('{{ else }} may be followed by if or with only');
    const { nodes, ended } = this.#readNodes();
    if (ended !== 'end') throw new TemplateError('{{ else }} has no {{ end }}');
    return nodes;
  }

  #readPipeline(tokens: readonly Token[]): Expression {
    if (tokens.length === 0) throw new TemplateError('A value is missing');
    let value: Expression | null = null;
    for (const command of splitAtBars(tokens)) value = this.#readCommand(command, value);
    return value!;
  }

  #readCommand(tokens: readonly Token[], piped: Expression | null): Expression {
    const [first] = tokens;
    if (first?.kind === 'name' && !first.value.startsWith('$')) {
      if (!this.functions.has(first.value)) throw new TemplateError(`Unknown function ${first.value}`);
      const values = this.#readOperands(tokens.slice(1));
      return { type: 'call', name: first.value, values: piped === null ? values : [...values, piped] };
    }
    const [operand, ...others] = this.#readOperands(tokens);
    if (operand === undefined) throw new TemplateError('A value is missing');
    if (others.length > 0 || piped !== null) throw new TemplateError('Only functions take arguments');
    return operand;
  }

  #readOperands(tokens: readonly Token[]): Expression[] {
    const operands: Expression[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!;
      if (token.kind === 'literal') operands.push({ type: 'literal', value: token.value });
      else if (token.kind === 'path') operands.push({ type: 'path', from: 'dot', path: token.value });
      else if (token.kind === 'name') {
        if (token.value.startsWith('$')) operands.push(withPath({ type: 'variable', name: token.value }));
        else if (this.functions.has(token.value)) operands.push({ type: 'call', name: token.value, values: [] });
        else throw new TemplateError(`Unknown function ${token.value}`);
      } else if (token.value === '(') {
        const close = closingAt(tokens, at);
        this.#enter();
        const inner = this.#readPipeline(tokens.slice(at + 1, close));
        this.#depth -= 1;
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

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new TemplateError(`Blocks and parentheses nest deeper than ${MAX_DEPTH}`);
  }
}

function readAssignment(tokens: readonly Token[]): { names: string[]; isNew: boolean; rest: readonly Token[] } {
  const at = tokens.findIndex(({ kind, value }) => kind === 'punctuation' && (value === ':=' || value === '='));
  if (at < 0) return { names: [], isNew: false, rest: tokens };
  const names: string[] = [];
  tokens.slice(0, at).forEach((token, index) => {
    const isName = token.kind === 'name' && /^\$\w/.test(token.value);
    if (index % 2 === 0 ? !isName : token.value !== ',') throw new TemplateError('Only variables can be assigned');
    if (index % 2 === 0) names.push(token.value as string);
  });
  if (names.length === 0 || at !== names.length * 2 - 1) throw new TemplateError('Only variables can be assigned');
  return { names, isNew: tokens[at]!.value === ':=', rest: tokens.slice(at + 1) };
}

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
