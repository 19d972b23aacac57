/** Random requests from the OpenAPI document: valid, nearly valid, and hostile. */
import { randomUUID } from 'node:crypto';
import type { Random } from './long-form.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is the input.
type Json = any;

export interface FuzzCase {
  readonly pattern: string;
  readonly method: string;
  /** Path and query as on the request line. */
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: string | Buffer | undefined;
}

/** Meaningful values by field; values of other fields come from the schema. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff tail',
  '\r\nSet-Cookie: a=b',
  '\u2028',
  '\ufeff',
  'ＡＢＣ＠ｅｘａｍｐｌｅ．ｃｏｍ',
  'ı@example.com',
  '"a@evil.com"@victim.com',
  'a@b',
  "'; drop table users; --",
  '$1',
  '%00',
  '%',
  '{{ .Token }}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'http://localhost:3000@evil.test/',
  'https://evil.test#.localhost',
  'javascript:alert(1)',
  '//evil.test',
  'http://[::1',
  '00000000-0000-0000-0000-000000000000',
  '-1',
  '0x10',
  '1e400',
  '9'.repeat(400),
  '2026-02-30T25:61:00Z',
  'infinity',
  '-99999999h',
  '999999999999h',
  '\u{1f600}'.repeat(80),
  'x'.repeat(300),
  'x'.repeat(20_000),
  '__proto__',
  'constructor',
];
const deepValue = (depth: number): unknown => (depth === 0 ? 1 : { a: [deepValue(depth - 1)] });
const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  [],
  [null],
  {},
  { length: 1e9 },
  [[[[]]]],
  deepValue(3),
  deepValue(20),
  { toString: 1, valueOf: null },
  Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, n])),
];
/** Bodies that are no JSON object, or only just. */
const HOSTILE_BODIES: readonly (string | Buffer)[] = [
  '',
  ' ',
  'null',
  '[]',
  '"x"',
  '1',
  'true',
  '{',
  '{}x',
  '{"email":}',
  '{"__proto__":{"role":"service_role"}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"email":"a@example.com","email":"b@example.com"}',
  '{"email":"\\ud800@example.com"}',
  '{"data":{"\\u0000":1}}',
  `{"data":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
  `${'['.repeat(10_000)}`,
  `{"data":{"a":${'9'.repeat(5000)}}}`,
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from('{"email":"\xff\xfe"}', 'latin1'),
  'email=a%40example.com&password=x',
];
const CONTENT_TYPES = [
  undefined,
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'image/png',
];

const isType = (schema: Json, type: string): boolean => [schema?.type].flat().includes(type);

/** A value the schema allows. */
function makeValid(schema: Json, name: string, known: Known, random: Random): unknown {
  const pool = known[name];
  if (pool !== undefined && pool.length > 0 && !random.oneIn(8)) return random.pick(pool);
  if (schema?.enum) return random.pick(schema.enum as unknown[]);
  if (schema?.const !== undefined) return schema.const;
  if (schema?.anyOf) return makeValid(random.pick(schema.anyOf), name, known, random);
  if (isType(schema, 'boolean')) return random.oneIn(2);
  if (isType(schema, 'integer') || isType(schema, 'number')) return random.pick([0, 1, 2, 10, 50, 1000]);
  if (isType(schema, 'array'))
    return Array.from({ length: random.int(3) }, () => makeValid(schema.items, name, known, random));
  if (isType(schema, 'object')) {
    if (schema.properties !== undefined) return makeObject(schema, known, random);
    return random.pick([{}, { name: 'Ada' }, { a: { b: [1, 'x', null] } }, { provider: 'email' }]);
  }
  if (schema?.format === 'uuid') return randomUUID();
  return random.pick(['a', 'some text', '123456', 'Ünïcödé', 'x'.repeat(40)]);
}

function makeObject(schema: Json, known: Known, random: Random): Record<string, unknown> {
  const required = new Set<string>(schema.required ?? []);
  const entries = Object.entries<Json>(schema.properties ?? {})
    .filter(([name]) => required.has(name) || random.oneIn(3) || (known[name] !== undefined && random.oneIn(2)))
    .map(([name, field]) => [name, makeValid(field, name, known, random)]);
  return Object.fromEntries(entries);
}

/** One field is invalid. */
function spoil(body: Record<string, unknown>, names: readonly string[], random: Random): Record<string, unknown> {
  const name = names.length > 0 && !random.oneIn(10) ? random.pick(names) : 'unheard_of';
  const value = random.oneIn(2) ? random.pick(HOSTILE_TEXTS) : random.pick(HOSTILE_VALUES);
  if (random.oneIn(6)) {
    const { [name]: _, ...rest } = body;
    return rest;
  }
  // Also inside metadata, whose shape is free.
  const isFree = typeof body[name] === 'object' && body[name] !== null && random.oneIn(2);
  return { ...body, [name]: isFree ? { ...(body[name] as object), [random.pick(HOSTILE_TEXTS)]: value } : value };
}

/** A lone surrogate cannot be encoded in a URL. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?'));

function makeQuery(parameters: readonly Json[], known: Known, level: number, random: Random): string {
  const pairs: string[] = [];
  for (const { name, required, schema } of parameters) {
    if (!required && !random.oneIn(2)) continue;
    const isBad = level > 0 && random.oneIn(3);
    const value = isBad ? random.pick(HOSTILE_TEXTS) : String(makeValid(schema, name, known, random));
    pairs.push(`${name}=${encode(value)}`);
    if (level > 0 && random.oneIn(12)) pairs.push(`${name}=${encode(random.pick(HOSTILE_TEXTS))}`);
  }
  if (level === 2)
    pairs.push(random.pick(['', '%', '%ff=%fe', 'a=%zz', '&&&', '=', '__proto__=1', 'x[y]=1', '%00=%00']));
  const text = pairs.filter((pair) => pair !== '').join('&');
  // Longer request lines are rejected for their length (SEC-10).
  return text === '' ? '' : `?${text.slice(0, 6000)}`;
}

interface Operation {
  readonly pattern: string;
  /** In small letters. */
  readonly method: string;
}

/** @param api the document */
export const listOperations = (api: Json): readonly Operation[] =>
  Object.keys(api.paths).flatMap((pattern) => Object.keys(api.paths[pattern]).map((method) => ({ pattern, method })));

/**
 * @param api the document
 * @param known looked up by field, also of the query and the path
 * @param chosen default: any
 */
export function makeCase(api: Json, known: Known, random: Random, chosen?: Operation): FuzzCase {
  const pattern = chosen?.pattern ?? random.pick(Object.keys(api.paths));
  const method = chosen?.method ?? random.pick(Object.keys(api.paths[pattern]));
  const operation = api.paths[pattern][method];
  /** 0 valid, 1 nearly so, 2 hostile */
  const level = random.pick([0, 0, 1, 1, 1, 2]);
  const path = pattern.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    if (level === 2 && random.oneIn(2)) return encode(random.pick(HOSTILE_TEXTS).slice(0, 500)) || 'x';
    return encode(String(makeValid({ format: 'uuid' }, name, known, random)));
  });
  const parameters: Json[] = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'query');
  const target = path + makeQuery(parameters, known, level, random);
  const made = { pattern, method: method.toUpperCase(), target };
  if (method === 'get') return { ...made, contentType: undefined, body: undefined };
  const [contentType, content] = Object.entries<Json>(operation.requestBody?.content ?? {})[0] ?? [];
  const schema = content?.schema;
  if (level === 2 && random.oneIn(2)) {
    return { ...made, contentType: random.pick(CONTENT_TYPES), body: random.pick(HOSTILE_BODIES) };
  }
  if (schema === undefined) {
    const form = new URLSearchParams({ token: random.pick(HOSTILE_TEXTS), type: 'signup', state: 'x', code: 'y' });
    return { ...made, contentType: 'application/x-www-form-urlencoded', body: form.toString() };
  }
  let body = makeObject(schema, known, random);
  for (let turns = level === 0 ? 0 : 1 + random.int(level * 2); turns > 0; turns--)
    body = spoil(body, Object.keys(schema.properties ?? {}), random);
  if (contentType === 'application/x-www-form-urlencoded') {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries((body ?? {}) as object)) {
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return { ...made, contentType, body: form.toString() };
  }
  return { ...made, contentType, body: JSON.stringify(body) };
}
