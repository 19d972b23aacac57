/** Bounds how deep templates call one another, before they are used. */
import { TemplateError } from './error.js';
import type { Node, TemplateTree } from './nodes.js';

/** Of blocks and calls of templates, which may call themselves. */
export const MAX_LEVELS = 256;

type Templates = TemplateTree['templates'];

/** @throws TemplateError for templates that call one another without a condition, and for those that nest too deep */
export function checkDepth({ nodes, templates }: TemplateTree): void {
  for (const isAlways of [true, false]) {
    const depth = new Depth(templates, isAlways);
    for (const body of [nodes, ...templates.values()]) depth.levelsOf(body, 1, 1);
  }
}

/** @param line of the call or block that is too deep */
export const tooDeep = (line: number): TemplateError =>
  new TemplateError(`Templates call one another deeper than ${MAX_LEVELS} levels: write fewer into one another`, line);

class Depth {
  /** Templates that are being followed. */
  readonly #open = new Set<string>();
  readonly #levels = new Map<string, number>();
  readonly templates: Templates;
  /** Only calls that no condition decides on are followed. */
  readonly isAlways: boolean;

  constructor(templates: Templates, isAlways: boolean) {
    this.templates = templates;
    this.isAlways = isAlways;
  }

  /** @returns levels of the deepest way; one that calls itself under a condition counts once */
  levelsOf(nodes: readonly Node[], outer: number, line: number): number {
    if (outer > MAX_LEVELS) throw tooDeep(line);
    let most = 0;
    for (const node of nodes) {
      const levels = this.#inside(node, outer);
      if (outer + levels > MAX_LEVELS) throw tooDeep(line);
      most = Math.max(most, levels);
    }
    return most + 1;
  }

  #inside(node: Node, outer: number): number {
    if (node.type === 'template') return this.#call(node, outer);
    if (!('body' in node) || this.isAlways) return 0;
    const both = [node.body, node.otherwise].map((body) => this.levelsOf(body, outer + 1, node.line));
    return Math.max(...both);
  }

  #call({ name, line }: Extract<Node, { type: 'template' }>, outer: number): number {
    if (this.#open.has(name)) {
      if (!this.isAlways) return 0;
      throw new TemplateError(`{{ template "${name}" }} calls itself without an end: put the call into {{ if }}`, line);
    }
    const known = this.#levels.get(name);
    if (known !== undefined) return known;
    this.#open.add(name);
    const levels = this.levelsOf(this.templates.get(name) ?? [], outer + 1, line);
    this.#open.delete(name);
    this.#levels.set(name, levels);
    return levels;
  }
}
