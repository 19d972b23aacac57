/** The functions of templates. Values are JSON: plain data, read by own keys only. */
import { TemplateError } from './error.js';
import { escapeJs } from './js-escape.js';
import { encodeQuery } from './url-parts.js';

export type Value = unknown;

const MAX_PRINTED_LENGTH = 100_000;

/** @returns undefined for a missing key; members of a prototype count as missing */
export function readKey(value: Value, key: string | number): Value {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** True as Go defines it: neither zero nor empty. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Prints as Go's `%v` does; a missing value prints nothing. */
export function print(value: Value, depth = 0): string {
  if (value === null || value === undefined || depth > 8) return '';
  if (Array.isArray(value)) return cut(`[${value.map((item) => print(item, depth + 1)).join(' ')}]`);
  if (typeof value !== 'object') return cut(String(value));
  const entries = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${key}:${print(item, depth + 1)}`);
  return cut(`map[${entries.join(' ')}]`);
}

const cut = (text: string): string => (text.length > MAX_PRINTED_LENGTH ? text.slice(0, MAX_PRINTED_LENGTH) : text);

const isEqual = (a: Value, b: Value): boolean =>
  (a ?? null) === (b ?? null) ||
  (typeof a === 'object' && a !== null && print(a) === print(b) && typeof b === 'object');

function isLess(a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  return print(a) < print(b);
}

/** Without `and` and `or`, which do not evaluate all arguments: the interpreter implements them. */
export const functions: ReadonlyMap<string, (...values: Value[]) => Value> = new Map<
  string,
  (...values: Value[]) => Value
>([
  ['not', (value) => !isTrue(value)],
  ['eq', (first, ...others) => others.some((other) => isEqual(first, other))],
  ['ne', (a, b) => !isEqual(a, b)],
  ['lt', (a, b) => isLess(a, b)],
  ['le', (a, b) => !isLess(b, a)],
  ['gt', (a, b) => isLess(b, a)],
  ['ge', (a, b) => !isLess(a, b)],
  ['index', (value, ...keys) => keys.reduce((at, key) => readKey(at, key as string | number), value)],
  ['slice', slice],
  ['len', (value) => (typeof value === 'string' ? Buffer.byteLength(value) : sizeOf(value))],
  ['print', (...values) => cut(printOperands(values))],
  ['println', (...values) => cut(`${values.map((value) => print(value)).join(' ')}\n`)],
  ['printf', (format, ...values) => printf(print(format), values)],
  ['urlquery', (...values) => queryEscape(printOperands(values))],
  ['js', (...values) => cut(escapeJs(printOperands(values)))],
  // Output is escaped anyway.
  ['html', (...values) => cut(printOperands(values))],
]);

export const functionNames: ReadonlySet<string> = new Set([...functions.keys(), 'and', 'or']);

/** Part of a text, counted in bytes as Go does, or of a list. An index beyond the end counts as the end. */
function slice(value: Value, ...indexes: Value[]): Value {
  if (indexes.length > 3 || indexes.some((index) => !isIndex(index))) {
    throw new TemplateError('slice takes a text or list and up to three whole numbers: {{ slice .Token 0 3 }}');
  }
  const [from, to, most] = indexes as number[];
  if (Array.isArray(value)) return value.slice(from, Math.min(to ?? value.length, most ?? value.length));
  if (most !== undefined) throw new TemplateError('slice of a text takes two numbers at most: {{ slice .Token 0 3 }}');
  return Buffer.from(print(value)).subarray(from, to).toString();
}

/** Of `slice`. */
export const isIndex = (value: Value): boolean => Number.isInteger(value) && (value as number) >= 0;

/** Go's url.QueryEscape. */
const queryEscape = (text: string): string =>
  encodeQuery(text.toWellFormed()).replace(/%../g, (code) => (code === '%20' ? '+' : code.toUpperCase()));

/** Go's fmt.Sprint: a space between two operands of which neither is a string. */
function printOperands(values: readonly Value[]): string {
  const hasSpace = (at: number) => at > 0 && typeof values[at] !== 'string' && typeof values[at - 1] !== 'string';
  return values.map((value, at) => (hasSpace(at) ? ' ' : '') + print(value)).join('');
}

const sizeOf = (value: Value): number =>
  Array.isArray(value) ? value.length : value !== null && typeof value === 'object' ? Object.keys(value).length : 0;

/** The verbs v, s, d, q, t, f, x and %%, the flags - and 0, and two digits of width and precision; or a `%` of no such verb. */
export const FORMAT_PART = /%(?:([-0]?)(\d{0,2})(?:\.(\d{1,2}))?([vsdqtfx%]))?/g;

/** A format that is a value may have other verbs: they stay as they are. */
function printf(format: string, values: readonly Value[]): string {
  let at = 0;
  const text = format.replace(FORMAT_PART, (_, flag, width, precision, verb) => {
    if (verb === '%' || verb === undefined) return '%';
    const value = values[at++];
    const shown = formatValue(verb, value, precision === undefined ? undefined : Number(precision));
    const size = Number(width || 0);
    if (flag === '-') return shown.padEnd(size);
    return shown.padStart(size, flag === '0' ? '0' : ' ');
  });
  return cut(text);
}

function formatValue(verb: string, value: Value, precision: number | undefined): string {
  switch (verb) {
    case 'v':
    case 't':
      return print(value);
    case 's': {
      const text = print(value);
      return precision === undefined ? text : text.slice(0, precision);
    }
    case 'q':
      return JSON.stringify(print(value));
    case 'd':
      return typeof value === 'number' ? String(Math.trunc(value)) : print(value);
    case 'f':
      return typeof value === 'number' ? value.toFixed(precision ?? 6) : print(value);
    default:
      return typeof value === 'number' ? Math.trunc(value).toString(16) : Buffer.from(print(value)).toString('hex');
  }
}
