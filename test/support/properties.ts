import fc from 'fast-check';
import type { Test } from 'tap';

/** A seed to run with again, as a failed run names it. */
const SEED_VARIABLE = 'PROPERTY_SEED';

/**
 * Asserts a property on random values, and says with which seed: a failure comes back with
 * `PROPERTY_SEED=<seed> npm test -- <file>`.
 */
export function holds<Values>(t: Test, property: fc.IProperty<Values>, numRuns = 500): void {
  const seed = Number(process.env[SEED_VARIABLE]) || Math.floor(Math.random() * 2 ** 31);
  t.comment(`${numRuns} values, ${SEED_VARIABLE}=${seed}`);
  fc.assert(property, { seed, numRuns });
  t.pass(`held for ${numRuns} values`);
}
