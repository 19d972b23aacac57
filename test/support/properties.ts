import fc from 'fast-check';
import { chooseSeed, pickForm } from './long-form.js';
import type { Test } from './tap.js';

/** Asserts a property on random values; ten times as many in `npm run test:soak`. */
export function holds<Values>(t: Test, property: fc.IProperty<Values>, numRuns = 500): void {
  const count = numRuns * pickForm({ short: 1, long: 10 });
  fc.assert(property, { seed: chooseSeed(t), numRuns: count });
  t.pass(`true for ${count} values`);
}
