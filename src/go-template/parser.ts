import { atLine, TemplateError } from './error.js';
import { readPipeline } from './expression.js';
import { type Piece, splitTemplate, type Token } from './lexer.js';
import type { Expression, Node, TemplateTree } from './nodes.js';

const MAX_DEPTH = 32;
const BLOCKS = new Set(['if', 'with', 'range']);
const CURES: ReadonlyMap<string, string> = new Map([
  ['break', 'put what follows into {{ if }}'],
  ['continue', 'put what follows into {{ if }}'],
]);

/** @throws TemplateError for a syntax error and for syntax outside of the subset */
export function parseTemplate(source: string, functions: ReadonlySet<string>): TemplateTree {
  return new Parser(splitTemplate(source), functions).readAll();
}

interface Body {
  readonly nodes: Node[];
  readonly ended: 'end' | 'else' | null;
  /** Behind `else`. */
  readonly rest: readonly Token[];
}

class Parser {
  #at = 0;
  #line = 1;
  /** Depth of blocks; the limit bounds the recursion. */
  #depth = 0;
  readonly #templates = new Map<string, readonly Node[]>();
  readonly pieces: readonly Piece[];
  readonly functions: ReadonlySet<string>;

  constructor(pieces: readonly Piece[], functions: ReadonlySet<string>) {
    this.pieces = pieces;
    this.functions = functions;
  }

  readAll(): TemplateTree {
    const { nodes, ended } = this.#readNodes();
    if (ended !== null) throw new TemplateError(`{{ ${ended} }} without a block: remove it`, this.#line);
    return { nodes, templates: this.#templates };
  }

  /** Reads up to the end of the text, `end` or `else`; the caller parses the tokens behind `else`. */
  #readNodes(): Body {
    const nodes: Node[] = [];
    while (this.#at < this.pieces.length) {
      const piece = this.pieces[this.#at++]!;
      const { line } = piece;
      this.#line = line;
      if ('text' in piece) {
        nodes.push({ type: 'text', text: piece.text, line });
        continue;
      }
      const [first, ...rest] = piece.tokens;
      const keyword = first?.kind === 'name' ? first.value : '';
      if (keyword === 'end' || keyword === 'else') return { nodes, ended: keyword, rest };
      const node = atLine(line, () => this.#readNode(keyword, piece.tokens));
      if (node !== null) nodes.push(node);
    }
    return { nodes, ended: null, rest: [] };
  }

  /** @returns null for a definition */
  #readNode(keyword: string, tokens: readonly Token[]): Node | null {
    if (tokens.length === 0) throw new TemplateError('An action is empty: remove it');
    const cure = CURES.get(keyword);
    if (cure !== undefined) throw new TemplateError(`{{ ${keyword} }} is not supported: ${cure}`);
    const rest = tokens.slice(1);
    if (keyword === 'define') return this.#readDefinition(rest);
    if (keyword === 'template' || keyword === 'block') return this.#readCall(keyword, rest);
    return BLOCKS.has(keyword) ? this.#readBlock(keyword, rest) : this.#readAction(tokens);
  }

  #readDefinition(tokens: readonly Token[]): null {
    const [name, ...others] = tokens;
    if (this.#depth > 0) throw new TemplateError('{{ define }} cannot stand inside of a block: move it to the top');
    if (others.length > 0) throw new TemplateError('{{ define }} takes a name in quotes and nothing else');
    this.#define('define', readName('define', name));
    return null;
  }

  /** `template`, or `block`, which also defines what it calls. */
  #readCall(keyword: 'template' | 'block', tokens: readonly Token[]): Node {
    const [first, ...rest] = tokens;
    const name = readName(keyword, first);
    const line = this.#line;
    if (keyword === 'block' && rest.length === 0)
      throw new TemplateError('{{ block }} takes a value: {{ block "x" . }}');
    const value = rest.length === 0 ? null : this.#readPipeline(rest);
    if (keyword === 'block') this.#define('block', name);
    return { type: 'template', name, value, line };
  }

  /** The first definition that is not blank counts, as in Go. */
  #define(keyword: string, name: string): void {
    const { nodes, ended } = this.#enter(() => this.#readNodes());
    if (ended !== 'end') throw new TemplateError(`{{ ${keyword} "${name}" }} has no {{ end }}`);
    const earlier = this.#templates.get(name);
    const isDefined = earlier !== undefined && !isBlank(earlier);
    if (isDefined && !isBlank(nodes)) throw new TemplateError(`"${name}" is defined twice: rename or remove one`);
    if (!isDefined) this.#templates.set(name, nodes);
  }

  #readAction(tokens: readonly Token[]): Node {
    const { names, isNew, rest } = readAssignment(tokens);
    const value = this.#readPipeline(rest);
    const line = this.#line;
    if (names.length === 0) return { type: 'print', value, line };
    if (names.length > 1) throw new TemplateError('Only {{ range }} declares two variables');
    return { type: 'set', name: names[0]!, isNew, value, line };
  }

  #readBlock(keyword: string, tokens: readonly Token[]): Node {
    const line = this.#line;
    const { names, rest } = readAssignment(tokens);
    if (names.length > (keyword === 'range' ? 2 : 1))
      throw new TemplateError(`{{ ${keyword} }} declares too many variables`);
    const value = this.#readPipeline(rest);
    if (keyword === 'range' && value.type === 'literal' && typeof value.value === 'number') {
      throw new TemplateError('{{ range }} over a number is not supported: write the lines out');
    }
    const { body, otherwise } = this.#enter(() => {
      const { nodes, ended, rest: afterElse } = this.#readNodes();
      if (ended === null) throw new TemplateError(`{{ ${keyword} }} has no {{ end }}`);
      return { body: nodes, otherwise: ended === 'else' ? this.#readElse(afterElse) : [] };
    });
    if (keyword === 'range') {
      const [index, element] = names.length === 2 ? [names[0]!, names[1]!] : [null, names[0] ?? null];
      return { type: 'range', index, element, value, body, otherwise, line };
    }
    return { type: keyword as 'if' | 'with', name: names[0] ?? null, value, body, otherwise, line };
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
    return readPipeline(tokens, this.functions, MAX_DEPTH - this.#depth);
  }

  #enter<Result>(read: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new TemplateError(`Blocks and parentheses nest deeper than ${MAX_DEPTH}`);
    const result = read();
    this.#depth -= 1;
    return result;
  }
}

const isBlank = (nodes: readonly Node[]): boolean =>
  nodes.every((node) => node.type === 'text' && node.text.trim() === '');

function readName(keyword: string, token: Token | undefined): string {
  if (token?.kind === 'literal' && typeof token.value === 'string') return token.value;
  throw new TemplateError(`{{ ${keyword} }} takes a name in quotes: {{ ${keyword} "footer" . }}`);
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
