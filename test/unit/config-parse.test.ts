import fc from 'fast-check';
import {
  type Parsed,
  parseBool,
  parseCharacterSets,
  parseChoice,
  parseDuration,
  parseFloating,
  parseHeaders,
  parseInteger,
  parseList,
  parseMap,
  parsePostgresUrl,
  parseRate,
  parseSecretList,
  parseText,
  parseTime,
  parseUrl,
} from '../../src/server/config/parse.js';
import { holds } from '../support/properties.js';
import { t } from '../support/tap.js';

const resultOf = <T>(parsed: Parsed<T>): T | undefined => ('value' in parsed ? parsed.value : undefined);
const faultOf = (parsed: Parsed<unknown>): string | undefined => ('fault' in parsed ? parsed.fault : undefined);

t.test('booleans are those of Go and nothing else', async (t) => {
  for (const text of ['1', 't', 'T', 'TRUE', 'true', 'True', ' true ']) t.equal(resultOf(parseBool(text)), true, text);
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False']) t.equal(resultOf(parseBool(text)), false, text);
  for (const text of ['', 'yes', 'on', 'tRUE', '2', 'null']) t.match(faultOf(parseBool(text)), /true or false/, text);
});

t.test('whole numbers', async (t) => {
  const good: [string, number][] = [
    ['0', 0],
    ['-0', 0],
    ['42', 42],
    ['+7', 7],
    ['-3', -3],
    ['0x1F', 31],
    ['0o17', 15],
    ['0b101', 5],
    ['1_000_000', 1_000_000],
  ];
  for (const [text, number] of good) t.equal(resultOf(parseInteger(text)), number, text);
  for (const text of ['', '010', '1.5', '1e3', '1__0', '_1', '1_', 'x', '0x', '٣']) {
    t.match(faultOf(parseInteger(text)), /whole number/, text);
  }
  t.match(faultOf(parseInteger('9007199254740993')), /too large/);
  t.match(faultOf(parseInteger('5', { min: 6 })), /at least 6/);
  t.match(faultOf(parseInteger('70000', { max: 65535 })), /at most 65535/);
});

t.test('every safe integer survives a round trip, in every base', async (t) => {
  holds(
    t,
    fc.property(fc.maxSafeInteger(), (n) => {
      const sign = n < 0 ? '-' : '';
      const magnitude = Math.abs(n);
      const spellings = [`${magnitude}`, `0x${magnitude.toString(16)}`, `0o${magnitude.toString(8)}`];
      return spellings.every((spelling) => resultOf(parseInteger(sign + spelling)) === n);
    }),
  );
});

t.test('numbers', async (t) => {
  t.equal(resultOf(parseFloating('1.5')), 1.5);
  t.equal(resultOf(parseFloating('.5')), 0.5);
  t.equal(resultOf(parseFloating('1e2')), 100);
  for (const text of ['', '.', 'NaN', 'Infinity', '0x10', '1,5']) t.match(faultOf(parseFloating(text)), /number/, text);
  t.match(faultOf(parseFloating('1e999')), /too large/);
  t.match(faultOf(parseFloating('-1', { min: 0 })), /at least 0/);
});

t.test('durations: Go syntax or a bare number of seconds', async (t) => {
  const good: [string, number][] = [
    ['0', 0],
    ['900', 900],
    ['1.5', 1.5],
    ['10s', 10],
    ['1h30m', 5400],
    ['30m1h', 5400],
    ['1.5h', 5400],
    ['.5s', 0.5],
    ['300ms', 0.3],
    ['100us', 0.0001],
    ['100µs', 0.0001],
    ['100μs', 0.0001],
    ['1h0m0.5s', 3600.5],
    ['+5s', 5],
  ];
  for (const [text, seconds] of good) t.equal(resultOf(parseDuration(text)), seconds, text);
  for (const text of ['', 's', '1d', '1h 30m', 'h1', '1hh', '.', '.s', '1e3', '5S', '10s5']) {
    t.match(faultOf(parseDuration(text)), /must be a duration such as 10s/, text);
  }
  t.match(faultOf(parseDuration('-1s')), /not be negative/);
  t.match(faultOf(parseDuration('9999999h')), /292 years/);
  t.match(faultOf(parseDuration('1.5s', { whole: true })), /whole seconds/);
  t.match(faultOf(parseDuration('0', { positive: true })), /longer than zero/);
});

t.test('a duration written in any mix of units is the sum of its parts', async (t) => {
  const part = fc.integer({ min: 0, max: 10_000 });
  holds(
    t,
    fc.property(part, part, part, part, (h, m, s, ms) => {
      const seconds = (h * 3_600_000 + m * 60_000 + s * 1000 + ms) / 1000;
      return (
        resultOf(parseDuration(`${h}h${m}m${s}s${ms}ms`)) === seconds &&
        resultOf(parseDuration(`${ms}ms${s}s${m}m${h}h`)) === seconds &&
        resultOf(parseDuration(`${seconds}`)) === seconds
      );
    }),
  );
});

t.test('lists are trimmed, lists of secrets are not', async (t) => {
  t.same(resultOf(parseList(' a , b,,c ')), ['a', 'b', 'c']);
  t.same(resultOf(parseList('')), []);
  t.same(resultOf(parseList('  ')), []);
  t.same(resultOf(parseSecretList(' a , b,,c ')), [' a ', ' b', 'c ']);
});

t.test('a list survives joining and parsing', async (t) => {
  const item = fc.string({ minLength: 1 }).filter((text) => !text.includes(',') && text.trim() === text);
  holds(
    t,
    fc.property(fc.array(item), (items) => {
      const parsed = resultOf(parseList(items.join(',')));
      return parsed?.length === items.length && parsed.every((text, i) => text === items[i]);
    }),
  );
});

t.test('maps', async (t) => {
  t.same(resultOf(parseMap('+1 555:123456, 2:a:b')), { '+1 555': '123456', '2': 'a:b' });
  t.same(resultOf(parseMap('')), {});
  t.match(faultOf(parseMap('novalue')), /key:value/);
  t.match(faultOf(parseMap(':x')), /key:value/);
  const map = resultOf(parseMap('__proto__:x'));
  t.same(Object.keys(map!), ['__proto__'], 'a key is data, whatever it is called');
  t.equal(Object.getPrototypeOf(map), Object.prototype);
});

t.test('character sets', async (t) => {
  const examples: [string, string[]][] = [
    ['a:b:c', ['a', 'b', 'c']],
    ['a\\:b:c', ['a:b', 'c']],
    ['\\:a:b:c', [':a', 'b', 'c']],
    ['a:b:c\\:', ['a', 'b', 'c:']],
    ['::\\::', [':']],
    ['', []],
    ['abc\\d:é😀', ['abc\\d', 'é😀']],
  ];
  for (const [text, sets] of examples) t.same(resultOf(parseCharacterSets(text)), sets, text);
});

t.test('character sets survive escaping and parsing', async (t) => {
  const set = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\\'));
  holds(
    t,
    fc.property(fc.array(set), (sets) => {
      const parsed = resultOf(parseCharacterSets(sets.map((text) => text.replaceAll(':', '\\:')).join(':')));
      return parsed?.length === sets.length && parsed.every((text, i) => text === sets[i]);
    }),
  );
});

t.test('rates', async (t) => {
  t.same(resultOf(parseRate('30')), { count: 30, refillSeconds: null });
  t.same(resultOf(parseRate('0')), { count: 0, refillSeconds: null });
  t.same(resultOf(parseRate('1.5')), { count: 1.5, refillSeconds: null });
  t.same(resultOf(parseRate('10/1m30s')), { count: 10, refillSeconds: 90 });
  for (const text of ['', '1h', '/', '/1h', '3600.0/1h', '100/', '100/1', '-1', '10/0s', '10/-1s']) {
    t.match(faultOf(parseRate(text)), /number per hour/, text);
  }
});

t.test('URLs', async (t) => {
  t.equal(resultOf(parseUrl('https://a.example/x/')), 'https://a.example/x/');
  t.equal(resultOf(parseUrl('https://a.example/x//', { base: true })), 'https://a.example/x');
  t.equal(resultOf(parseUrl('com.example.app://', { anyScheme: true })), 'com.example.app://');
  for (const text of ['', '/x', 'example.com', 'https:', 'https://', 'mailto:a@b']) {
    t.match(faultOf(parseUrl(text)), /absolute URL|must begin with/, text);
  }
  t.match(faultOf(parseUrl('ftp://a.example')), /must begin with https/);
  t.ok(faultOf(parseUrl('javascript://a/%0aalert(1)', { anyScheme: true })), 'a scheme that runs code is invalid');
  t.match(faultOf(parseUrl('https://user:pw@a.example')), /user name or password/);
  t.ok(resultOf(parsePostgresUrl('postgres://u:p@/db?host=/run/postgresql')), 'a socket has no host');
  t.match(faultOf(parsePostgresUrl('mysql://u@h/db')), /postgres:\/\//);
});

t.test('choices', async (t) => {
  t.equal(resultOf(parseChoice('WARNING', ['warn', 'info'], { warning: 'warn' })), 'warn');
  t.equal(resultOf(parseChoice(' Info', ['warn', 'info'])), 'info');
  t.match(faultOf(parseChoice('constructor', ['warn', 'info'], {})), /one of: warn, info/);
});

t.test('timestamps', async (t) => {
  for (const text of ['2030-01-31T00:00:00Z', '2030-01-31T00:00:00.123+05:30', '2028-02-29t23:59:59z']) {
    t.equal(resultOf(parseTime(text)), text);
  }
  for (const text of ['', '2030-01-31', '2030-01-31 00:00:00Z', '2030-01-31T00:00:00', '2030-02-30T00:00:00Z', '1e9']) {
    t.match(faultOf(parseTime(text)), /RFC 3339/, text);
  }
});

t.test('mail headers', async (t) => {
  t.same(resultOf(parseHeaders('{"X-A":["b","c"]}')), { 'X-A': ['b', 'c'] });
  for (const text of ['', '[]', 'null', '{"X-A":"b"}', '{"X-A":[1]}', '{']) {
    t.match(faultOf(parseHeaders(text)), /JSON object/, text);
  }
  t.match(faultOf(parseHeaders('{"X A":["b"]}')), /header names/);
  t.match(faultOf(parseHeaders('{"X-A":["b\\r\\nBcc: c"]}')), /line breaks/);
});

t.test('text with a pattern', async (t) => {
  t.equal(resultOf(parseText(' kept as is ')), ' kept as is ');
  t.equal(faultOf(parseText('X', /^[a-z]+$/, 'must be lower case')), 'must be lower case');
});

t.test('no parser repeats its input (SEC-74)', async (t) => {
  const parsers = [
    parseBool,
    parseInteger,
    parseFloating,
    parseDuration,
    parseMap,
    parseRate,
    parseUrl,
    parsePostgresUrl,
    parseTime,
    parseHeaders,
    (text: string) => parseChoice(text, ['a']),
    (text: string) => parseText(text, /^$/),
  ];
  holds(
    t,
    fc.property(fc.stringMatching(/^[A-Z0-9]{12,30}$/), (text) =>
      parsers.every((parse) => !(faultOf(parse(text)) ?? '').includes(text)),
    ),
  );
});
