/** Looks at a template before it is used: what can go wrong on any of its ways is refused now, not at the first mail. */
import { checkCall } from './check-calls.js';
import { checkDepth, MAX_LEVELS, tooDeep } from './check-depth.js';
import { atLine, TemplateError } from './error.js';
import { HtmlContext } from './html-context.js';
import type { Expression, Node, TemplateTree } from './nodes.js';

/** Contexts that one place may be reached in. */
const MAX_CONTEXTS = 16;
const MAX_STEPS = 200_000;

type Contexts = readonly HtmlContext[];

/**
 * @throws TemplateError for an unknown template, an undeclared variable, a call that cannot succeed, calls without an end, and in
 * HTML for a value in a place without an escaper
 */
export function checkTemplate({ nodes, templates }: TemplateTree, form: 'html' | 'text'): void {
  for (const body of [nodes, ...templates.values()]) checkNames(body, templates, new Set(['$']));
  checkDepth({ nodes, templates });
  if (form === 'html') new Walk(templates).run(nodes, [new HtmlContext()]);
}

function checkNames(nodes: readonly Node[], templates: TemplateTree['templates'], outer: ReadonlySet<string>): void {
  const known = new Set(outer);
  for (const node of nodes) {
    if (node.type === 'text') continue;
    const { value } = node;
    if (value !== null) atLine(node.line, () => checkExpression(value, known));
    if (node.type === 'template' && !templates.has(node.name)) {
      throw new TemplateError(`No template "${node.name}": add {{ define "${node.name}" }}`, node.line);
    }
    if (node.type === 'set') {
      if (!node.isNew && !known.has(node.name)) throw undeclared(node.name, node.line);
      known.add(node.name);
    } else if (node.type === 'range') {
      const own = [node.index, node.element].filter((name) => name !== null);
      checkNames(node.body, templates, new Set([...known, ...own]));
      checkNames(node.otherwise, templates, known);
    } else if (node.type === 'if' || node.type === 'with') {
      const inner = node.name === null ? known : new Set([...known, node.name]);
      checkNames(node.body, templates, inner);
      checkNames(node.otherwise, templates, inner);
    }
  }
}

function checkExpression(value: Expression, known: ReadonlySet<string>): void {
  if (value.type === 'variable' && !known.has(value.name)) throw undeclared(value.name);
  if (value.type === 'path' && value.from !== 'dot') checkExpression(value.from, known);
  if (value.type !== 'call') return;
  checkCall(value);
  for (const operand of value.values) checkExpression(operand, known);
}

const undeclared = (name: string, line: number | null = null) =>
  new TemplateError(`${name} is not declared: write {{ ${name} := … }} before it`, line);

/** Follows all ways through a template with the contexts that they lead to. */
class Walk {
  #steps = 0;
  #depth = 0;
  /** Templates that are being followed, by name and context. */
  readonly #open = new Set<string>();
  readonly #ends = new Map<string, Contexts>();
  readonly templates: TemplateTree['templates'];

  constructor(templates: TemplateTree['templates']) {
    this.templates = templates;
  }

  run(nodes: readonly Node[], contexts: Contexts): Contexts {
    let at = contexts;
    this.#depth += 1;
    for (const node of nodes) {
      if (this.#depth > MAX_LEVELS) throw tooDeep(node.line);
      const before = at;
      at = atLine(node.line, () => distinct(this.#runNode(node, before)));
    }
    this.#depth -= 1;
    return at;
  }

  #runNode(node: Node, contexts: Contexts): Contexts {
    this.#steps += contexts.length;
    if (this.#steps > MAX_STEPS) throw new TemplateError('The template has too many ways through it: make it simpler');
    switch (node.type) {
      case 'text':
        return contexts.map((context) => after(context, (copy) => copy.follow(node.text)));
      case 'print':
        return contexts.map((context) => after(context, (copy) => copy.escape('', '')));
      case 'template':
        return contexts.flatMap((context) => this.#runTemplate(node, context));
      case 'range':
        return [...this.#runLoop(node.body, contexts), ...this.run(node.otherwise, contexts)];
      case 'if':
      case 'with':
        return [...this.run(node.body, contexts), ...this.run(node.otherwise, contexts)];
      default:
        return contexts;
    }
  }

  #runLoop(body: readonly Node[], contexts: Contexts): Contexts {
    let seen = contexts;
    let fresh = contexts;
    while (fresh.length > 0) {
      const known = new Set(seen.map(({ key }) => key));
      fresh = this.run(body, fresh).filter(({ key }) => !known.has(key));
      seen = distinct([...seen, ...fresh]);
    }
    return seen;
  }

  /** One that calls itself is taken to end in the context that it began in, which must be so. */
  #runTemplate({ name, line }: Extract<Node, { type: 'template' }>, context: HtmlContext): Contexts {
    const key = `${context.key} ${name}`;
    const known = this.#ends.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(key)) {
      this.#ends.set(key, [context]);
      return [context];
    }
    this.#open.add(key);
    const ends = this.run(this.templates.get(name) ?? [], [context]);
    this.#open.delete(key);
    const assumed = this.#ends.get(key);
    if (assumed !== undefined && ends.some((end) => end.key !== context.key)) {
      const text = `{{ template "${name}" }} calls itself and does not end where it began: close its tags and quotes`;
      throw new TemplateError(text, line);
    }
    this.#ends.set(key, ends);
    return ends;
  }
}

function after(context: HtmlContext, change: (copy: HtmlContext) => unknown): HtmlContext {
  const copy = context.clone();
  change(copy);
  return copy;
}

function distinct(contexts: Contexts): Contexts {
  if (contexts.length < 2) return contexts;
  const byKey = new Map(contexts.map((context) => [context.key, context]));
  if (byKey.size > MAX_CONTEXTS)
    throw new TemplateError('Branches end in too many places of the HTML: close tags in each');
  return [...byKey.values()];
}
