/** What templates can do with values. Values are JSON: plain data, read by own keys only (SEC-27). */
import { TemplateError } from './template-error.js';

export type Value = unknown;

const MAX_PRINTED_LENGTH = 100_000;

/** @returns undefined for anything that is not there, a prototype's members included */
export function readKey(value: Value, key: string | number): Value {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

/** Go's truth: not zero, not empty. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
}

/** As Go's `%v` prints it; what is missing prints nothing. */
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

/** `and` and `or` are not here: they leave values unread, which the interpreter does. */
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
  ['len', (value) => (typeof value === 'string' ? Buffer.byteLength(value) : sizeOf(value))],
  ['print', (...values) => cut(printAll(values, ' '))],
  ['println', (...values) => cut(`${printAll(values, ' ')}\n`)],
  ['printf', (format, ...values) => printf(print(format), values)],
  ['urlquery', (...values) => encodeURIComponent(printAll(values, '').toWellFormed())],
  // Values are escaped where they are printed anyway.
  ['html', (...values) => cut(printAll(values, ''))],
]);

export const functionNames: ReadonlySet<string> = new Set([...functions.keys(), 'and', 'or']);

const printAll = (values: readonly Value[], between: string): string =>
  values.map((value) => print(value)).join(between);

const sizeOf = (value: Value): number =>
  Array.isArray(value) ? value.length : value !== null && typeof value === 'object' ? Object.keys(value).length : 0;

/** The verbs v, s, d, q, t, f, x and %%, with flags, width and precision up to two digits. */
function printf(format: string, values: readonly Value[]): string {
  let at = 0;
  const text = format.replace(/%([-0]?)(\d{0,2})(?:\.(\d{1,2}))?([a-zA-Z%])/g, (_, flag, width, precision, verb) => {
    if (verb === '%') return '%';
    const value = values[at++];
    const shown = showAs(verb, value, precision === undefined ? undefined : Number(precision));
    const size = Number(width || 0);
    if (flag === '-') return shown.padEnd(size);
    return shown.padStart(size, flag === '0' ? '0' : ' ');
  });
  return cut(text);
}

function showAs(verb: string, value: Value, precision: number | undefined): string {
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
    case 'x':
      return typeof value === 'number' ? Math.trunc(value).toString(16) : Buffer.from(print(value)).toString('hex');
    default:
      throw new TemplateError(`printf does not know %${verb}`);
  }
}
