import fc from 'fast-check';
import { chooseSeed, pickForm } from './long-form.js';
import type { Test } from './tap.js';

/** Asserts a property on random values; ten times as many in `npm run test:soak`. */
export function holds<Values>(t: Test, property: fc.IProperty<Values>, numRuns = 500): void {
  const count = numRuns * pickForm({ short: 1, long: 10 });
  fc.assert(property, { seed: chooseSeed(t), numRuns: count });
  t.pass(`true for ${count} values`);
}

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character that text may have, as `fc.string({ unit: anyCharacter })`. fast-check's own unit `binary` makes a table of all
 * 1.1 million of them, which takes a second of processor time in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count), numberOf);

/** For values that fast-check takes from a list of words which have broken programs. @throws for what is no such character */
function numberOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (point === undefined || character !== String.fromCodePoint(point)) throw new Error('not a character');
  if (point < SURROGATES.first) return point;
  if (point < SURROGATES.first + SURROGATES.count) throw new Error('half of a character');
  return point - SURROGATES.count;
}
