/**
 * A filter as parameters of the statements that list: a JSON path, the values it compares with, and what an index finds it by. No part of
 * it becomes SQL.
 */
import { isTimestamp } from '../../db/timestamps.js';
import { isUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import { type CompareOperator, type Filter, type FilterValue, parseFilter, type WrittenPath } from './filter-syntax.js';
import { findAttribute, findSub } from './find-attribute.js';
import type { ScimAttribute } from './scim-attribute.js';
import type { ScimKind } from './scim-schemas.js';

/** Values of attributes that have an index; a resource has one of them. By name in lower case, such as emails.value. */
export type IndexedValues = Readonly<Record<string, readonly string[]>>;

export interface ScimFilter {
  /** Of the search document, whose names are in lower case. */
  readonly path: string;
  /** Of its variables. */
  readonly values: Readonly<Record<string, FilterValue>>;
  /** Null: all of the scope is read. */
  readonly indexed: IndexedValues | null;
  /** Ids that are compared with those of members. */
  readonly members: readonly string[];
}

/** By kind: what there is an index for. */
const INDEXED: Readonly<Record<ScimKind['name'], readonly string[]>> = {
  User: ['id', 'username', 'externalid', 'emails.value'],
  Group: ['id', 'displayname', 'externalid', 'members.value'],
};
const PATH_OPERATORS = { eq: '==', ne: '==', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;

const refuse = (reason: string) => apiError('scimFilterInvalid', { reason });

/** @throws ApiError scimFilterInvalid */
export function compileFilter(kind: ScimKind, text: string): ScimFilter {
  const filter = parseFilter(text);
  const compiler = new Compiler(kind);
  const path = compiler.compile(filter, '$', null);
  const { values, members } = compiler;
  return {
    path,
    values: Object.fromEntries(values.map((value, n) => [`v${n}`, value])),
    indexed: findIndexed(kind, filter),
    members,
  };
}

/** An attribute in a search document. */
interface Place {
  readonly path: string;
  /** What is compared. */
  readonly attribute: ScimAttribute;
  /** Its name with that of its attribute, lower case. */
  readonly name: string;
}

class Compiler {
  readonly #kind: ScimKind;
  readonly values: FilterValue[] = [];
  readonly members: string[] = [];

  constructor(kind: ScimKind) {
    this.#kind = kind;
  }

  /** @param within attribute whose values a filter in brackets is about; null: it is about the resource */
  compile(filter: Filter, base: '$' | '@', within: ScimAttribute | null): string {
    switch (filter.kind) {
      case 'and':
      case 'or': {
        const sign = filter.kind === 'and' ? '&&' : '||';
        return `(${this.compile(filter.left, base, within)}) ${sign} (${this.compile(filter.right, base, within)})`;
      }
      case 'not':
        return `!(${this.compile(filter.inner, base, within)})`;
      case 'present':
        return `exists(${this.#place(filter.path, base, within, true).path})`;
      case 'some':
        return `exists(${this.#place(filter.path, base, within, true).path})`;
      case 'compare':
        return this.#compare(this.#place(filter.path, base, within, false), filter.operator, filter.value);
    }
  }

  #compare({ path, attribute, name }: Place, operator: CompareOperator, given: FilterValue): string {
    if (given === null) {
      if (name.startsWith('members')) throw refuse(MEMBERS);
      if (operator === 'eq') return `!(exists(${path}))`;
      if (operator === 'ne') return `exists(${path})`;
      throw refuse('null can only be compared with eq and ne');
    }
    const value = readOperand(attribute, operator, given);
    if (name.startsWith('members')) {
      if (operator !== 'eq' && operator !== 'ne') throw refuse(MEMBERS);
      this.members.push(String(value));
    }
    switch (operator) {
      case 'co':
        return `${path} like_regex ${JSON.stringify(value)} flag "q"`;
      case 'ew':
        return `${path} like_regex ${JSON.stringify(`${escapeRegex(String(value))}$`)}`;
      case 'sw':
        return `${path} starts with ${this.#variable(value)}`;
      case 'ne':
        return `!(${path} == ${this.#variable(value)})`;
      default:
        return `${path} ${PATH_OPERATORS[operator]} ${this.#variable(value)}`;
    }
  }

  #variable(value: FilterValue): string {
    this.values.push(value);
    return `$v${this.values.length - 1}`;
  }

  /** @param isWhole the values as they are, not what is compared of them */
  #place({ name, filter, sub }: WrittenPath, base: '$' | '@', within: ScimAttribute | null, isWhole: boolean): Place {
    if (within !== null) {
      const attribute = filter === null && sub === null ? findSub(within, name) : undefined;
      if (attribute === undefined) throw refuse(`${within.name} has no ${name.slice(0, 60)} that can be searched`);
      if (within.name === 'members' && attribute.name !== 'value') throw refuse(MEMBERS);
      return {
        path: `${base}.${quote(attribute.name)}`,
        attribute,
        name: `${within.name}.${attribute.name}`.toLowerCase(),
      };
    }
    const found = findAttribute(this.#kind, name);
    const top = found?.attribute;
    const isHidden =
      top?.returned === 'never' ||
      (this.#kind.name === 'User' && top?.name === 'groups') ||
      (top?.name === 'meta' && !SEARCHED_META.includes(found?.sub?.name ?? sub ?? ''));
    if (found === undefined || top == null || isHidden) throw refuse(`${name.slice(0, 60)} cannot be searched`);
    const chosen = sub === null ? found.sub : (findSub(top, sub) ?? null);
    if (sub !== null && chosen === null) throw refuse(`${top.name} has no ${sub.slice(0, 60)}`);
    if (filter !== null && (top.subAttributes === undefined || found.sub !== null))
      throw refuse(`${top.name} has no values`);
    // A search document does not say what it is about.
    if (top.name === 'meta' && chosen?.name === 'resourceType') {
      return { path: JSON.stringify(this.#kind.name), attribute: chosen, name: 'meta.resourcetype' };
    }
    if (top.name === 'members' && ((chosen !== null && chosen.name !== 'value') || (isWhole && filter === null))) {
      throw refuse(MEMBERS);
    }
    const root = found.extension === null ? base : `${base}.${quote(found.extension.id)}`;
    const brackets = filter === null ? '' : ` ? (${this.compile(filter, '@', top)})`;
    const compared = chosen ?? (isWhole || top.subAttributes === undefined ? null : (findSub(top, 'value') ?? null));
    if (!isWhole && compared === null && top.subAttributes !== undefined)
      throw refuse(`${top.name} has several parts: name one`);
    const end = compared === null ? '' : `.${quote(compared.name)}`;
    return {
      path: `${root}.${quote(top.name)}${top.multiValued ? '[*]' : ''}${brackets}${end}`,
      attribute: compared ?? top,
      name: [top.name, ...(compared === null ? [] : [compared.name])].join('.').toLowerCase(),
    };
  }
}

/** A search looks for those it names, not through all. */
const MEMBERS = 'members are searched by their value, with eq and ne';

/** No more of `meta` is known where a search is made. */
const SEARCHED_META: readonly string[] = ['created', 'lastModified', 'resourceType'];

const quote = (name: string): string => JSON.stringify(name.toLowerCase());

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The value in the form of the search document. @throws ApiError scimFilterInvalid */
function readOperand(
  { name, type, caseExact }: ScimAttribute,
  operator: CompareOperator,
  value: FilterValue,
): FilterValue {
  if (type === 'boolean') {
    if (operator !== 'eq' && operator !== 'ne')
      throw refuse(`${name} is true or false, which ${operator} does not compare`);
    const text = String(value).toLowerCase();
    if (text !== 'true' && text !== 'false') throw refuse(`${name} is true or false`);
    return text === 'true';
  }
  if (typeof value !== 'string') throw refuse(`${name} is compared with a text`);
  if (type === 'dateTime') {
    // XML Schema permits a time without a zone, which RFC 7643 2.3.5 leaves open: it is taken as UTC.
    const time = isTimestamp(value) ? value : `${value}Z`;
    if (!isTimestamp(time)) throw refuse(`${name} is compared with a time`);
    return new Date(time).toISOString();
  }
  return caseExact ? value : value.toLowerCase();
}

/** What every resource that the filter finds has one of. */
function findIndexed(kind: ScimKind, filter: Filter): IndexedValues | null {
  if (filter.kind === 'and') return findIndexed(kind, filter.left) ?? findIndexed(kind, filter.right);
  if (filter.kind === 'or') {
    const [left, right] = [findIndexed(kind, filter.left), findIndexed(kind, filter.right)];
    return left && right && join(left, right);
  }
  if (filter.kind === 'some') return findInBrackets(kind, filter.path);
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return null;
  const { name, sub } = filter.path;
  const found = findAttribute(kind, sub === null ? name : `${name}.${sub}`);
  return found === undefined || found.attribute === null
    ? null
    : indexedBy(kind, found.attribute, found.sub, filter.value);
}

function indexedBy(kind: ScimKind, top: ScimAttribute, sub: ScimAttribute | null, text: string): IndexedValues | null {
  const compared = sub ?? findSub(top, 'value') ?? null;
  const name = (compared === null ? top.name : `${top.name}.${compared.name}`).toLowerCase();
  if (!INDEXED[kind.name].includes(name)) return null;
  const value = (compared ?? top).caseExact ? text : text.toLowerCase();
  // Of what is no id there is nothing.
  if ((name === 'id' || name === 'members.value') && !isUuid(value)) return { [name]: [] };
  return { [name]: [value] };
}

function findInBrackets(kind: ScimKind, { name, filter }: WrittenPath): IndexedValues | null {
  const top = findAttribute(kind, name)?.attribute;
  if (top == null) return null;
  const look = (one: Filter): IndexedValues | null => {
    if (one.kind === 'and') return look(one.left) ?? look(one.right);
    if (one.kind !== 'compare' || one.operator !== 'eq' || typeof one.value !== 'string') return null;
    const sub = findSub(top, one.path.name);
    return sub === undefined ? null : indexedBy(kind, top, sub, one.value);
  };
  return filter && look(filter);
}

function join(left: IndexedValues, right: IndexedValues): IndexedValues {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return Object.fromEntries(names.map((name) => [name, [...(left[name] ?? []), ...(right[name] ?? [])]]));
}
