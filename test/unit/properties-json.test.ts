import fc from 'fast-check';
import { ApiError } from '../../src/server/errors.js';
import { MAX_DEPTH, MAX_VALUES, parseJsonObject } from '../../src/server/http/json.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';

/** @returns the object, or null for an API error; any other error is a fault */
function accept(text: string | Buffer): Record<string, unknown> | null {
  try {
    return parseJsonObject(Buffer.from(text as string));
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
const isStorable = (value: unknown): boolean => {
  const text = JSON.stringify(value);
  return !/\\u0000|\\ud[89a-f]/i.test(text.replaceAll('\\\\', ''));
};
/** What is left of a value when nothing is called `__proto__`. */
function strip(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(strip);
  const members = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(members.map(([key, member]) => [key, strip(member)]));
}

const keys = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('__proto__', 'constructor', 'prototype', 'email'));
const strings = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom('\0', '\ud800', '\\u0000', '"', '{[', '__proto__'),
);
const { values } = fc.letrec<{ values: unknown; object: object }>((tie) => ({
  values: fc.oneof(
    { maxDepth: 5 },
    strings,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    tie('object'),
    fc.array(tie('values'), { maxLength: 4 }),
  ),
  // As JSON.parse makes them: `__proto__` is a key like any other.
  object: fc.array(fc.tuple(keys, tie('values')), { maxLength: 4 }).map((entries) => {
    const object: Record<string, unknown> = Object.create(null);
    for (const [key, value] of entries) object[key] = value;
    return object;
  }),
}));

t.test('long non-ASCII texts are decoded unchanged, below and above the threshold of the decoder', async (t) => {
  const letters = fc.constantFrom('x', 'é', 'ÿ', '漢', '\u2028', '😀', '\u{10ffff}');
  const property = fc.property(fc.array(letters, { minLength: 1000, maxLength: 1500, size: 'max' }), (several) => {
    const texts = [several.join(''), several.slice(0, 200).join('')];
    return texts.every((a) => accept(JSON.stringify({ a }))?.a === a);
  });
  holds(t, property);
});

t.test('SEC-25, SEC-26: storable JSON objects are parsed unchanged; nothing else is', async (t) => {
  const property = fc.property(values, (value) => {
    const text = JSON.stringify(value);
    const isObject = typeof value === 'object' && !Array.isArray(value);
    const parsed = accept(text);
    const isAllowed = isObject && isStorable(strip(value)) && depthOf(value) <= MAX_DEPTH;
    return JSON.stringify(parsed) === JSON.stringify(isAllowed ? strip(value ?? {}) : null);
  });
  holds(t, property, 3000);
});

t.test('SEC-25: mutated JSON is parsed as by JSON.parse, or refused without repeating it', async (t) => {
  const bent = fc
    .tuple(values, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\ \n0e-u', '\u00e9', '')), { maxLength: 3 }))
    .map(([value, changes]) => {
      let text = JSON.stringify({ password: 'hunter2-hunter2', value });
      for (const [at, to] of changes) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + to + text.slice(place + 1);
      }
      return text;
    });
  const property = fc.property(bent, (text) => {
    let expected: unknown;
    try {
      expected = strip(JSON.parse(Buffer.from(text).toString()));
    } catch {
      expected = undefined;
    }
    try {
      const parsed = parseJsonObject(Buffer.from(text));
      return JSON.stringify(parsed) === JSON.stringify(expected ?? {});
    } catch (error) {
      return error instanceof ApiError && !/hunter|assword/.test(error.message);
    }
  });
  holds(t, property, 3000);
});

t.test('a number is taken exactly when it comes back as it is written', async (t) => {
  const taken = [
    ...['0', '-0', '1', '1.10', '5.0', '1e3', '9007199254740991', '9007199254740992', '-9007199254740992'],
    ...[
      '123456789012345680000',
      '1E+20',
      '0.30000000000000004',
      '0.1',
      '0.10000000000000001',
      '1.7976931348623157e308',
    ],
    ...['5e-324', '2.2250738585072014E-308', `1${'0'.repeat(22)}`, '0.000000000000000000000000001'],
  ];
  const changed = [
    ...['9007199254740993', '-9007199254740993', '123456789012345678901', '12345678901234567890.5', '1e400', '-1e400'],
    ...['1e-400', '3.14159265358979323846', `1${'0'.repeat(22)}1`, '9'.repeat(400), '900719925474099.31e1'],
  ];
  for (const number of taken) t.ok(accept(`{"a":{"b":[0,${number}]}}`), number);
  for (const number of changed) {
    const text = `{"x":"9007199254740993 \\" ,1e400","a":[{"y":[1,2]},{ "b" : [[],"\\\\",${number}]}],"c":1e999}`;
    t.throws(
      () => parseJsonObject(Buffer.from(text)),
      { status: 422, message: /number at a\[1\]\.b\[2\] is larger/ },
      number,
    );
  }
  holds(
    t,
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (whole) => {
      const kept = JSON.stringify(JSON.parse(`{"a":${whole}}`)) === `{"a":${whole}}`;
      try {
        return parseJsonObject(Buffer.from(`{"a":${whole}}`)) !== null && kept;
      } catch (error) {
        return error instanceof ApiError && error.status === 422 && !kept;
      }
    }),
  );
});

t.test('SEC-26: any bytes, valid UTF-8 or not: an object or an API error', async (t) => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((part) => Buffer.from(part)),
    fc.uint8Array({ maxLength: 8 }).map((part) => Buffer.concat([Buffer.from('{"a":"'), part, Buffer.from('"}')])),
  );
  const property = fc.property(bytes, (body) => {
    const parsed = accept(body);
    return parsed === null || (typeof parsed === 'object' && Object.getPrototypeOf(parsed) === Object.prototype);
  });
  holds(t, property, 3000);
  t.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

t.test('SEC-25, SEC-32: depth and number of values are counted exactly', async (t) => {
  const shape = fc.record({
    depth: fc.integer({ min: 1, max: 64 }),
    isArray: fc.array(fc.boolean(), { minLength: 64, maxLength: 64 }),
  });
  holds(
    t,
    fc.property(shape, ({ depth, isArray }) => {
      let text = '1';
      for (let level = 1; level < depth; level++) text = isArray[level] ? `[${text}]` : `{"[{":${text}}`;
      return (accept(`{"a":${text}}`) !== null) === depth <= MAX_DEPTH;
    }),
  );
  holds(
    t,
    fc.property(fc.integer({ min: MAX_VALUES - 50, max: MAX_VALUES + 50 }), (count) => {
      const isTaken = accept(`{"a":[${Array.from({ length: count }, () => '0').join()}]}`) !== null;
      // The object and the list count too.
      return isTaken === count + 1 <= MAX_VALUES;
    }),
    50,
  );
});
