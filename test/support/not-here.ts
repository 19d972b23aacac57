/** Tests that cannot run on this machine: they count as skipped, and `npm test` lists them with the reason. */
import type { Test } from 'tap';

/**
 * What a program's absence is called. `.ci/run` reads the package at the end, and fails when it could be installed.
 * @param install Debian's package
 */
export const missingProgram = (name: string, install: string): string =>
  `no ${name} on this machine (Debian: apt-get install ${install})`;

/** Ends a test, or a whole file, before it has begun. It must not have asserted anything. */
export function skipHere(t: Test, reason: string): void {
  t.plan(0, reason);
}
