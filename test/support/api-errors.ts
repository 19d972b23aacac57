import type { Test } from './tap.js';

/** Asserts that `act` throws an API error with these members. */
export function throwsApiError(
  t: Test,
  act: () => unknown,
  expected: Readonly<Record<string, unknown>>,
  name?: string,
): void {
  try {
    act();
  } catch (error) {
    t.match(error, expected, name ?? JSON.stringify(expected));
    return;
  }
  t.fail(`${name ?? 'it'}: nothing was thrown`);
}
