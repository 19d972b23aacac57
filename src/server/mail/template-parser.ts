import { TemplateError } from './template-error.js';
import { type Piece, splitTemplate, type Word } from './template-lexer.js';

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
      /** Names for index and element. */
      readonly index: string | null;
      readonly element: string | null;
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  /** The dot, a variable or a parenthesis, and a path from there. */
  | { readonly type: 'path'; readonly from: Expression | 'dot'; readonly path: readonly string[] }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'call'; readonly name: string; readonly values: readonly Expression[] };

const MAX_DEPTH = 32;
const BLOCKS = new Set(['if', 'with', 'range']);
const UNSUPPORTED = new Set(['define', 'template', 'block', 'break', 'continue']);

/** @throws TemplateError when the text is not a template of the subset (delivery.md 5.4) */
export function parseTemplate(source: string, functions: ReadonlySet<string>): readonly Node[] {
  const parser = new Parser(splitTemplate(source), functions);
  return parser.readAll();
}

class Parser {
  #at = 0;
  /** Of blocks and parentheses: deeper templates are refused, not recursed into. */
  #depth = 0;

  constructor(
    readonly pieces: readonly Piece[],
    readonly functions: ReadonlySet<string>,
  ) {}

  readAll(): readonly Node[] {
    const { nodes, ended } = this.#readNodes();
    if (ended !== null) throw new TemplateError(`{{ ${ended} }} closes nothing`);
    return nodes;
  }

  /** Reads until `end` or `else`, whose words are left to the caller, or the end of the text. */
  #readNodes(): { nodes: Node[]; ended: 'end' | 'else' | null; rest: readonly Word[] } {
    const nodes: Node[] = [];
    while (this.#at < this.pieces.length) {
      const piece = this.pieces[this.#at++]!;
      if ('text' in piece) {
        nodes.push({ type: 'text', text: piece.text });
        continue;
      }
      const [first, ...rest] = piece.words;
      if (first === undefined) throw new TemplateError('An action is empty');
      const keyword = first.kind === 'name' ? first.value : '';
      if (keyword === 'end' || keyword === 'else') return { nodes, ended: keyword, rest };
      if (UNSUPPORTED.has(keyword)) throw new TemplateError(`{{ ${keyword} }} is not supported`);
      nodes.push(BLOCKS.has(keyword) ? this.#readBlock(keyword, rest) : this.#readAction(piece.words));
    }
    return { nodes, ended: null, rest: [] };
  }

  #readAction(words: readonly Word[]): Node {
    const { names, isNew, rest } = readAssignment(words);
    const value = this.#readPipeline(rest);
    if (names.length === 0) return { type: 'print', value };
    if (names.length > 1) throw new TemplateError('Only range sets two variables');
    return { type: 'set', name: names[0]!, isNew, value };
  }

  #readBlock(keyword: string, words: readonly Word[]): Node {
    const { names, rest } = readAssignment(words);
    if (names.length > (keyword === 'range' ? 2 : 1))
      throw new TemplateError(`{{ ${keyword} }} sets too many variables`);
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

  /** `else` alone, or `else if …`, whose `end` closes the whole chain. */
  #readElse(words: readonly Word[]): readonly Node[] {
    const [first, ...rest] = words;
    if (first?.kind === 'name' && (first.value === 'if' || first.value === 'with')) {
      return [this.#readBlock(first.value, rest)];
    }
    if (first !== undefined) throw new TemplateError('{{ else }} takes if, with or nothing');
    const { nodes, ended } = this.#readNodes();
    if (ended !== 'end') throw new TemplateError('{{ else }} has no {{ end }}');
    return nodes;
  }

  #readPipeline(words: readonly Word[]): Expression {
    if (words.length === 0) throw new TemplateError('A value is missing');
    let value: Expression | null = null;
    for (const command of splitAtBars(words)) value = this.#readCommand(command, value);
    return value!;
  }

  #readCommand(words: readonly Word[], piped: Expression | null): Expression {
    const [first] = words;
    if (first?.kind === 'name' && !first.value.startsWith('$')) {
      if (!this.functions.has(first.value)) throw new TemplateError(`There is no function ${first.value}`);
      const values = this.#readOperands(words.slice(1));
      return { type: 'call', name: first.value, values: piped === null ? values : [...values, piped] };
    }
    const [operand, ...others] = this.#readOperands(words);
    if (operand === undefined) throw new TemplateError('A value is missing');
    if (others.length > 0 || piped !== null) throw new TemplateError('Only functions take values');
    return operand;
  }

  #readOperands(words: readonly Word[]): Expression[] {
    const operands: Expression[] = [];
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!;
      if (word.kind === 'literal') operands.push({ type: 'literal', value: word.value });
      else if (word.kind === 'path') operands.push({ type: 'path', from: 'dot', path: word.value });
      else if (word.kind === 'name') {
        if (word.value.startsWith('$')) operands.push(withPath({ type: 'variable', name: word.value }));
        else if (this.functions.has(word.value)) operands.push({ type: 'call', name: word.value, values: [] });
        else throw new TemplateError(`There is no function ${word.value}`);
      } else if (word.value === '(') {
        const close = closingAt(words, at);
        this.#enter();
        const inner = this.#readPipeline(words.slice(at + 1, close));
        this.#depth -= 1;
        at = close;
        operands.push(withPath(inner));
      } else throw new TemplateError(`${word.value} stands where a value should`);

      // `$x.Name` and `(…).Name`: a path right behind belongs to what it follows.
      function withPath(from: Expression): Expression {
        const next = words[at + 1];
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

function readAssignment(words: readonly Word[]): { names: string[]; isNew: boolean; rest: readonly Word[] } {
  const at = words.findIndex(({ kind, value }) => kind === 'punctuation' && (value === ':=' || value === '='));
  if (at < 0) return { names: [], isNew: false, rest: words };
  const names: string[] = [];
  words.slice(0, at).forEach((word, index) => {
    const isName = word.kind === 'name' && /^\$\w/.test(word.value);
    if (index % 2 === 0 ? !isName : word.value !== ',') throw new TemplateError('Only variables can be set');
    if (index % 2 === 0) names.push(word.value as string);
  });
  if (names.length === 0 || at !== names.length * 2 - 1) throw new TemplateError('Only variables can be set');
  return { names, isNew: words[at]!.value === ':=', rest: words.slice(at + 1) };
}

function splitAtBars(words: readonly Word[]): Word[][] {
  const commands: Word[][] = [[]];
  let depth = 0;
  for (const word of words) {
    if (word.kind === 'punctuation') {
      if (word.value === '(') depth += 1;
      else if (word.value === ')') depth -= 1;
      else if (word.value === '|' && depth === 0) {
        commands.push([]);
        continue;
      }
    }
    commands.at(-1)!.push(word);
  }
  return commands;
}

function closingAt(words: readonly Word[], open: number): number {
  let depth = 0;
  for (let at = open; at < words.length; at++) {
    const word = words[at]!;
    if (word.kind !== 'punctuation') continue;
    if (word.value === '(') depth += 1;
    else if (word.value === ')' && --depth === 0) return at;
  }
  throw new TemplateError('A parenthesis is not closed');
}
