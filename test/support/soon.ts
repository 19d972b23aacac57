/**
 * Assertions on what a page shows soon: an action is over before the page has rendered what came of it, and `count()`,
 * `isVisible()` or `textContent()` tell what is there now.
 */
import type { Test } from './tap.js';
import { pauseSince } from './until.js';

/** As long as Playwright waits for an element. */
const PATIENCE_MS = 30_000;

/** Asserts that a value becomes equal to another. */
export async function equalSoon<Value>(
  t: Test,
  read: () => Promise<Value>,
  expected: Value,
  message = `comes to be ${String(expected)}`,
): Promise<void> {
  t.equal(await readUntil(read, (value) => value === expected), expected, message);
}

/** Asserts that a list of texts becomes the same as another. */
export async function sameSoon(
  t: Test,
  read: () => Promise<readonly string[]>,
  expected: readonly string[],
  message = `comes to be ${String(expected)}`,
): Promise<void> {
  const isSame = (value: readonly string[]): boolean => JSON.stringify(value) === JSON.stringify(expected);
  t.same(await readUntil(read, isSame), expected, message);
}

/** Asserts that a text comes to match, or contains a string. */
export async function matchSoon(
  t: Test,
  read: () => Promise<string | null>,
  expected: RegExp | string,
  message = `comes to be ${String(expected)}`,
): Promise<void> {
  const isMatch = (value: string | null): boolean =>
    value !== null && (typeof expected === 'string' ? value.includes(expected) : expected.test(value));
  t.match(await readUntil(read, isMatch), expected, message);
}

async function readUntil<Value>(read: () => Promise<Value>, isRight: (value: Value) => boolean): Promise<Value> {
  const startMs = performance.now();
  let value = await read();
  while (!isRight(value) && performance.now() - startMs < PATIENCE_MS) {
    await pauseSince(startMs);
    value = await read();
  }
  return value;
}
