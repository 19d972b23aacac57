/** Tests that cannot run on this machine: they count as skipped, and `npm test` lists them with the reason. */
import { t as file, type Test } from './tap.js';

/**
 * The reason for a missing program. `.ci/run` reads the package from it, and fails if that can be installed.
 * @param install Debian's package
 */
export const missingProgram = (name: string, install: string): string =>
  `no ${name} on this machine (Debian: apt-get install ${install})`;

/** Skips a test, which must not have asserted anything before, or what follows in a file. */
export function skipHere(t: Test, reason: string): void {
  // A plan of no tests would fail a file that has run some.
  if (t === file) void t.test('what follows in this file', { skip: reason }, () => undefined);
  else t.plan(0, reason);
}
