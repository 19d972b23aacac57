/**
 * How close test files are to a changed file. Most tests start the whole server and so import nearly all of src: the import
 * graph alone does not tell them apart. So what tests and sources name counts, too: endpoints, settings, errors, statements,
 * exports, columns. What few tests name says most.
 */
import type { ImportGraph } from './import-graph.js';

/** `imports`: on a way of imports that does not lead through the whole server; `server`: through it. */
export type Relation = 'changed' | 'imports' | 'server';

export interface Closeness {
  readonly file: string;
  readonly relation: Relation;
  /** From 0, the higher the closer: the share of what is named, and more where the file is imported. */
  readonly score: number;
}

/** What a file that uses the changed one says about it, by distance: its endpoint, mostly. */
const SHARE_OF_USERS = [1, 0.4, 0.15];
/** A name in the name of a test file says more than one in its text. */
const WEIGHT_OF_FILE_NAME = 6;
/** As do the lines that changed, beside the rest of their file. */
const WEIGHT_OF_LINES = 3;
/** What an import adds to the share of names, which is 1 at most; divided by the distance. */
const IMPORT_SCORE = 0.5;
/** Files that many others use say nothing of one of them. */
const MOST_USERS = 30;
const SHORTEST_TERM = 3;

/** Words in names and texts: of identifiers each word, and the whole in any spelling, `known_caller` as `knownCaller`. */
export function readTerms(text: string): Map<string, number> {
  const terms = new Map<string, number>();
  const add = (term: string): void => {
    const key = term.toLowerCase();
    if (key.length >= SHORTEST_TERM) terms.set(key, (terms.get(key) ?? 0) + 1);
  };
  for (const [name] of text.matchAll(/[A-Za-z][\w]*(?:-[a-z]\w*)*/g)) {
    const words = name.match(/[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])/g) ?? [];
    if (words.length > 1) add(words.join(''));
    for (const word of words) add(word);
  }
  return terms;
}

/** Test files, and how often each term is named in how many of them. */
export class TestIndex {
  readonly tests: readonly string[];
  readonly #graph: ImportGraph;
  readonly #terms = new Map<string, Map<string, number>>();
  readonly #counts = new Map<string, number>();

  constructor(graph: ImportGraph, tests: readonly string[]) {
    this.#graph = graph;
    this.tests = tests;
    for (const test of tests) {
      const terms = readTerms(graph.files.get(test) ?? '');
      for (const term of readTerms(nameOf(test)).keys()) terms.set(term, (terms.get(term) ?? 0) + WEIGHT_OF_FILE_NAME);
      this.#terms.set(test, terms);
      for (const term of terms.keys()) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
    }
  }

  /**
   * The test files that can reach a changed file.
   * @param lines what changed in it, and the lines around
   */
  rank(changed: string, lines = ''): Closeness[] {
    if (this.tests.includes(changed)) return [{ file: changed, relation: 'changed', score: 1 }];
    const direct = this.#graph.distancesTo(changed, false);
    const reaching = this.#graph.distancesTo(changed, true);
    const wanted = this.#termsOf(direct, lines);
    const found = this.tests.filter((file) => reaching.has(file));
    const scores = found.map((file) => this.#scoreOf(file, wanted));
    const most = Math.max(...scores, Number.MIN_VALUE);
    return found.map((file, index): Closeness => {
      const distance = direct.get(file);
      const share = scores[index]! / most;
      if (distance !== undefined) return { file, relation: 'imports', score: IMPORT_SCORE / distance + share };
      return { file, relation: 'server', score: share };
    });
  }

  /** The terms of a file and of those that use it, each with its weight. */
  #termsOf(distances: ReadonlyMap<string, number>, lines: string): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const [term, count] of readTerms(lines)) wanted.set(term, WEIGHT_OF_LINES * (1 + Math.log(count)));
    for (const [distance, share] of SHARE_OF_USERS.entries()) {
      const users = [...distances].filter(([path, at]) => at === distance && !path.startsWith('test/'));
      if (users.length > MOST_USERS) break;
      for (const [path] of users) {
        const terms = readTerms(this.#graph.files.get(path) ?? '');
        for (const term of readTerms(nameOf(path)).keys())
          terms.set(term, (terms.get(term) ?? 0) + WEIGHT_OF_FILE_NAME);
        for (const [term, count] of terms) {
          const weight = (share * (1 + Math.log(count))) / users.length ** (distance === 0 ? 0 : 0.5);
          wanted.set(term, (wanted.get(term) ?? 0) + weight);
        }
      }
    }
    return wanted;
  }

  #scoreOf(file: string, wanted: ReadonlyMap<string, number>): number {
    const terms = this.#terms.get(file)!;
    let score = 0;
    for (const [term, weight] of wanted) {
      const count = terms.get(term);
      if (count === undefined) continue;
      const rarity = Math.log(this.tests.length / this.#counts.get(term)!);
      score += weight * (1 + Math.log(count)) * rarity ** 2;
    }
    return score / Math.sqrt(terms.size);
  }
}

/** `src/server/sessions/refresh.ts` → `sessions/refresh` */
const nameOf = (path: string): string =>
  path.replace(/^(?:src\/server|src|test|sql)\//, '').replace(/(?:\.alone)?(?:\.test)?\.\w+$/, '');
