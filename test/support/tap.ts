/**
 * What test files import as `t`: tap's own root where a file runs alone, and the test of that file where one process runs several
 * (run-group.ts). So a file reads the same either way.
 */
import root, { type Test } from 'tap';
import { setRunningFile } from './running-file.js';

export type { Test };

let current: Test = root;

// The HTTP engine reads it once, when a file of the process first loads it; the launcher sets it for the real thing (SEC-10).
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = '32768';

/** All that `t` is asked for goes to the test of the file that is loaded. */
export const t = new Proxy(root as Test, {
  get(_root, name) {
    const value: unknown = Reflect.get(current, name);
    return typeof value === 'function' ? value.bind(current) : value;
  },
});

/**
 * Says that a test file needs a process of its own; test-files.ts reads it in the text of the file.
 * @param _reason what it changes that other files would see
 */
export function ownProcess(_reason: string): void {}

/**
 * Says that a file named .alone.test.ts mostly waits, for time-outs or another process, and may run beside others that do;
 * test-files.ts reads it in the text of the file.
 * @param _reason what it waits for
 */
export function mostlyWaits(_reason: string): void {}

/**
 * Says that a test file runs in `npm run test:full` only, since no change but of its own subject can break it. long-form.ts reads
 * that in the text of the file. Each requirement has a test that does not.
 * @param _reason what makes it expensive, and where the rest of its subject is tested
 */
export function onlyInFull(_reason: string): void {}

/**
 * Says that a test file runs in `npm run test:soak` only, or when it is named; long-form.ts reads that in the text of the file. Each
 * requirement has a test that does not.
 * @param _reason what it measures for so long, and where the rest of its subject is tested
 */
export function onlyInLong(_reason: string): void {}

/**
 * Says that the full form of a test file takes minutes on a clock, so that it begins before the others; test-files.ts reads it in the
 * text of the file.
 * @param _reason what there is so much of
 */
export function takesMinutesInFull(_reason: string): void {}

/**
 * Runs work after the last test of a process that runs one file. One that runs several ends itself (run-group.ts), and what it
 * started ends with it.
 */
export function atProcessEnd(work: () => unknown): void {
  if (current === root) root.teardown(work);
}

/**
 * Runs a test file in this process.
 * @param load imports the file, whose tests become parts of one test
 * @param timeoutSeconds of each of its tests that sets none
 */
export async function runFile(file: string, load: () => Promise<unknown>, timeoutSeconds: number): Promise<void> {
  await root.test(file, { timeout: timeoutSeconds * 1000 }, async (test) => {
    current = test;
    setRunningFile(file);
    await load();
  });
}
