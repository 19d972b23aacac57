/** Tests that cannot run on this machine: they count as skipped, and `npm test` lists them with the reason. */
import type { Test } from './tap.js';

/**
 * The reason for a missing program. `.ci/run` reads the package from it, and fails if that can be installed.
 * @param install Debian's package
 */
export const missingProgram = (name: string, install: string): string =>
  `no ${name} on this machine (Debian: apt-get install ${install})`;

/** Skips a test, or a whole file. It must not have asserted anything before. */
export function skipHere(t: Test, reason: string): void {
  t.plan(0, reason);
}
