/** Filters and paths of patches (RFC 7644 3.4.2.2, 3.5.2), read into trees. Names are looked up later. */
import { apiError } from '../errors.js';

export type CompareOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean | null;

/** An attribute as it is written: `name.familyName`, `emails[type eq "work"].value`, or with the URN of its schema before it. */
export interface WrittenPath {
  readonly name: string;
  /** In brackets; null: there is none. */
  readonly filter: Filter | null;
  /** After the brackets. */
  readonly sub: string | null;
}

export type Filter =
  | {
      readonly kind: 'compare';
      readonly path: WrittenPath;
      readonly operator: CompareOperator;
      readonly value: FilterValue;
    }
  | { readonly kind: 'present'; readonly path: WrittenPath }
  /** A value that its brackets match is there. */
  | { readonly kind: 'some'; readonly path: WrittenPath }
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter };

const MAX_BYTES = 2048;
const MAX_DEPTH = 32;
const OPERATORS: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];

type ErrorName = 'scimFilterInvalid' | 'scimPathInvalid';

/** @throws ApiError scimFilterInvalid */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text, 'scimFilterInvalid');
  const filter = parser.or();
  parser.end();
  return filter;
}

/** @throws ApiError scimPathInvalid */
export function parsePath(text: string): WrittenPath {
  const parser = new Parser(text, 'scimPathInvalid');
  const path = parser.path();
  parser.end();
  return path;
}

class Parser {
  readonly #text: string;
  readonly #error: ErrorName;
  #at = 0;
  #depth = 0;

  constructor(text: string, error: ErrorName) {
    this.#text = text;
    this.#error = error;
    if (Buffer.byteLength(text) > MAX_BYTES) this.#fail(`longer than ${MAX_BYTES} bytes`);
    if (text.includes('\0') || !text.isWellFormed()) this.#fail('a character that is not allowed');
  }

  or(): Filter {
    let left = this.#and();
    while (this.#word('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  path(): WrittenPath {
    const name = this.#match(/[A-Za-z$][\w$.:-]*/y);
    if (name === null) return this.#fail('an attribute is missing');
    if (!this.#symbol('[')) return { name, filter: null, sub: null };
    const filter = this.#nested(() => this.or());
    if (!this.#symbol(']')) this.#fail('] is missing');
    const sub = this.#match(/\.[A-Za-z$][\w$-]*/y)?.slice(1) ?? null;
    return { name, filter, sub };
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('something follows that does not belong there');
  }

  #and(): Filter {
    let left = this.#one();
    while (this.#word('and')) left = { kind: 'and', left, right: this.#one() };
    return left;
  }

  #one(): Filter {
    this.#skip();
    if (this.#match(/not(?=\s*\()/iy) !== null) {
      this.#symbol('(');
      return { kind: 'not', inner: this.#closed() };
    }
    return this.#symbol('(') ? this.#closed() : this.#comparison();
  }

  /** What a bracket was opened for. */
  #closed(): Filter {
    const inner = this.#nested(() => this.or());
    if (!this.#symbol(')')) this.#fail(') is missing');
    return inner;
  }

  #comparison(): Filter {
    const path = this.path();
    if (this.#word('pr')) return { kind: 'present', path };
    this.#skip();
    const from = this.#at;
    const operator = this.#match(/[A-Za-z]+/y)?.toLowerCase() ?? '';
    if (OPERATORS.includes(operator)) {
      return { kind: 'compare', path, operator: operator as CompareOperator, value: this.#value() };
    }
    this.#at = from;
    if (path.filter === null || path.sub !== null) this.#fail('an operator is missing or unknown');
    return { kind: 'some', path };
  }

  #value(): FilterValue {
    this.#skip();
    const text = this.#match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b/iy);
    if (text === null) return this.#fail('a value is missing or is no JSON');
    try {
      const value = JSON.parse(/^[tfn]/i.test(text) ? text.toLowerCase() : text) as FilterValue;
      if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
    } catch {
      return this.#fail('a value is no JSON');
    }
    return this.#fail('a value has a character that is not allowed');
  }

  #nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH}`);
    const result = read();
    this.#depth--;
    return result;
  }

  #word(word: string): boolean {
    this.#skip();
    return this.#match(new RegExp(`${word}(?![\\w$.:-])`, 'iy')) !== null;
  }

  #symbol(symbol: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== symbol) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #fail(reason: string): never {
    const what = this.#error === 'scimFilterInvalid' ? 'filter' : 'path';
    throw apiError(this.#error, { reason: `The ${what} is not valid: ${reason}, at character ${this.#at + 1}` });
  }
}
