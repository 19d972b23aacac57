/** Random values for the headers that the server reads: valid, nearly valid, and hostile. */
import type { Random } from './long-form.js';

const ADDRESSES = [
  '203.0.113.7',
  'fe80::1%eth0',
  'fe80::1%',
  'fe80::1%25eth0',
  '::ffff:192.0.2.1',
  '::1.2.3.4',
  '::ffff:1.2.3.4%lo',
  '64:ff9b::192.0.2.33',
  '2001:db8::1',
  '[2001:db8::1]:443',
  '203.0.113.7:80',
  '203.0.113.7/8',
  '1.2.3',
  '01.02.03.04',
  '256.1.1.1',
  '0x7f.1',
  'localhost',
  'unknown',
  '_hidden',
  '1:2:3:4:5:6:7:8:9',
  '1::2::3',
  ',',
  ', ,,203.0.113.9',
];
const WORDS = [
  '',
  'authenticated',
  'editor',
  '2024-01-01',
  '9999-99-99',
  '0000-00-00',
  '-000001-01-01',
  'Bearer ',
  'bearer a.b.c',
  'Basic eDp5',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-7',
  'prefetch;prerender',
  'http://localhost:3000/welcome?a=1#b',
  'http://[::1',
  'https://user:secret@localhost:3000/',
  'javascript:alert(1)',
  '//evil.test',
  'latchkey-browser=x; latchkey-browser=',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-00000000000000000000000000000000-0000000000000000-00',
  'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
  'GET',
  'PROPFIND',
  'x-jwt-aud, authorization, , x-made-up',
  '*',
  'null',
  "'; drop table users; --",
  '%00%ff%zz',
  '"',
  '\\',
];
/** latin1 bytes: also valid and nearly valid UTF-8. */
const PIECES = [
  'a',
  ' ',
  ',',
  ';',
  '=',
  '%',
  ':',
  '"',
  '\t',
  '\xc3\xa9',
  '\xf0\x9f\x98\x80',
  '\xff',
  '\xed\xa0\x80',
  '\xc0\x80',
  '\xe2\x80\xa8',
];
const LENGTHS = [1, 3, 20, 255, 256, 300, 1024, 2700, 6000, 12_000];

/** @returns a value without CR, LF and other control bytes; each character is one byte */
export function makeHeaderValue(random: Random): string {
  switch (random.int(6)) {
    case 0:
      return random.pick(ADDRESSES);
    case 1:
      return random.pick(WORDS);
    case 2:
      return [random.pick(ADDRESSES), random.pick(ADDRESSES)].join(random.pick([',', ', ', ' ']));
    case 3:
      return Array.from({ length: random.int(40) }, () => random.pick(PIECES)).join('');
    case 4:
      // Random, so that it cannot be compressed in an index.
      return Array.from({ length: random.pick(LENGTHS) }, () => String.fromCharCode(33 + random.int(94))).join('');
    default:
      return random
        .pick([...PIECES, random.pick(WORDS)])
        .repeat(random.pick(LENGTHS))
        .slice(0, random.pick(LENGTHS));
  }
}
