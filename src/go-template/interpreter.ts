/** Interprets a subset of Go's html/template (README.md). A template only reads values; it cannot run code. */
import { checkTemplate } from './check.js';
import { MAX_LEVELS, tooDeep } from './check-depth.js';
import { atLine, TemplateError } from './error.js';
import { functionNames, functions, isTrue, print, readKey, type Value } from './functions.js';
import { HtmlContext } from './html-context.js';
import type { Expression, Node, TemplateTree } from './nodes.js';
import { parseTemplate } from './parser.js';

export interface Template {
  /**
   * @param values variables by name; read by own keys only
   * @throws TemplateError at a limit of steps, length or depth
   */
  render(values: Readonly<Record<string, unknown>>): string;
}

const MAX_STEPS = 100_000;
const MAX_OUTPUT_LENGTH = 2_000_000;

/**
 * @param form html: values are escaped for their context; text: values are printed as they are
 * @throws TemplateError that names line and construct, for a syntax error, for what is not supported, and for a value in a place
 * that has no escaper, on any way through the template
 */
export function compileTemplate(source: string, form: 'html' | 'text'): Template {
  const parsed = parseTemplate(source, functionNames);
  checkTemplate(parsed, form);
  return { render: (values) => new Execution(parsed, values, form).render() };
}

class Scope {
  readonly #values = new Map<string, Value>();
  readonly outer: Scope | null;

  constructor(outer: Scope | null) {
    this.outer = outer;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  find(name: string): Scope | null {
    return this.#values.has(name) ? this : (this.outer?.find(name) ?? null);
  }

  get(name: string): Value {
    return this.#values.get(name);
  }
}

class Execution {
  readonly #html: HtmlContext | null;
  readonly #output: string[] = [];
  #length = 0;
  #steps = 0;
  #depth = 0;
  readonly source: TemplateTree;
  readonly root: Value;

  constructor(source: TemplateTree, root: Value, form: 'html' | 'text') {
    this.source = source;
    this.root = root;
    this.#html = form === 'html' ? new HtmlContext() : null;
  }

  render(): string {
    this.#runTemplate(this.source.nodes, this.root);
    return this.#output.join('');
  }

  /** A template sees no variables but `$`, which is its value. */
  #runTemplate(nodes: readonly Node[], value: Value): void {
    const scope = new Scope(null);
    scope.set('$', value);
    this.#runAll(nodes, value, scope);
  }

  #runAll(nodes: readonly Node[], dot: Value, outer: Scope): void {
    const scope = new Scope(outer);
    this.#depth += 1;
    for (const node of nodes) {
      if (this.#depth > MAX_LEVELS) throw tooDeep(node.line);
      atLine(node.line, () => this.#run(node, dot, scope));
    }
    this.#depth -= 1;
  }

  #run(node: Node, dot: Value, scope: Scope): void {
    this.#count();
    switch (node.type) {
      case 'text':
        this.#html?.follow(node.text);
        this.#write(node.text);
        return;
      case 'print':
        this.#print(node.value, dot, scope);
        return;
      case 'template': {
        const value = node.value === null ? null : this.#evaluate(node.value, dot, scope);
        this.#runTemplate(this.source.templates.get(node.name) ?? [], value);
        return;
      }
      case 'set': {
        const value = this.#evaluate(node.value, dot, scope);
        const owner = node.isNew ? scope : scope.find(node.name);
        if (owner === null) throw new TemplateError(`${node.name} is assigned before it is declared`);
        owner.set(node.name, value);
        return;
      }
      case 'range':
        this.#runRange(node, dot, scope);
        return;
      default: {
        const value = this.#evaluate(node.value, dot, scope);
        const inner = new Scope(scope);
        if (node.name !== null) inner.set(node.name, value);
        if (isTrue(value)) this.#runAll(node.body, node.type === 'with' ? value : dot, inner);
        else this.#runAll(node.otherwise, dot, inner);
      }
    }
  }

  #print(expression: Expression, dot: Value, scope: Scope): void {
    const value = this.#evaluate(expression, dot, scope);
    const text = print(value);
    const isEncoded = expression.type === 'call' && expression.name === 'urlquery';
    this.#write(this.#html === null ? text : this.#html.escape(value, text, isEncoded));
  }

  #runRange(node: Extract<Node, { type: 'range' }>, dot: Value, scope: Scope): void {
    const entries = entriesOf(this.#evaluate(node.value, dot, scope));
    this.#count(entries.length);
    if (entries.length === 0) this.#runAll(node.otherwise, dot, scope);
    for (const [key, value] of entries) {
      const inner = new Scope(scope);
      if (node.index !== null) inner.set(node.index, key);
      if (node.element !== null) inner.set(node.element, value);
      this.#runAll(node.body, value, inner);
    }
  }

  #evaluate(expression: Expression, dot: Value, scope: Scope): Value {
    this.#count();
    switch (expression.type) {
      case 'literal':
        return expression.value;
      case 'variable': {
        const owner = scope.find(expression.name);
        if (owner === null) throw new TemplateError(`${expression.name} is not declared`);
        return owner.get(expression.name);
      }
      case 'path': {
        const from = expression.from === 'dot' ? dot : this.#evaluate(expression.from, dot, scope);
        return expression.path.reduce((at, key) => readKey(at, key), from);
      }
      case 'call':
        return this.#call(expression, dot, scope);
    }
  }

  #call({ name, values }: Extract<Expression, { type: 'call' }>, dot: Value, scope: Scope): Value {
    if (name !== 'and' && name !== 'or') {
      const result = functions.get(name)!(...values.map((argument) => this.#evaluate(argument, dot, scope)));
      // A long string costs time even when it is not printed.
      if (typeof result === 'string') this.#count(result.length / 256);
      return result;
    }
    let value: Value;
    for (const candidate of values) {
      value = this.#evaluate(candidate, dot, scope);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return value;
  }

  #write(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_OUTPUT_LENGTH) throw new TemplateError('The result is too long');
    this.#output.push(text);
  }

  #count(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new TemplateError(`The template takes more than ${MAX_STEPS} steps`);
  }
}

function entriesOf(value: Value): [key: string | number, value: Value][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
