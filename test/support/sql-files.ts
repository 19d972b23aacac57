import type { DatabaseLog } from '../../src/db/types.js';
import type { Test } from './tap.js';

export const silentLog: DatabaseLog = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** Keeps what was logged as warnings. */
export function rememberingLog(): DatabaseLog & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { ...silentLog, warnings, warn: (_, message) => void warnings.push(message) };
}

/**
 * Writes files into a directory that goes away with the test.
 * @returns the directory
 */
export function sqlDirectory(test: Test, files: Readonly<Record<string, string>>): string {
  return test.testdir({ ...files });
}
