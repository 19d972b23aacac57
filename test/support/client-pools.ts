/** HTTP clients of other languages, with their connection pools, run against a small edge. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Test } from './tap.js';
import { openTestEdge, type TestEdge } from './test-edge.js';

const run = promisify(execFile);

/** @returns the output of its version command; null if it is not on PATH or fails */
export async function findProgram(name: string, ...versionArguments: string[]): Promise<string | null> {
  return run(name, versionArguments).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/**
 * Runs a program that sends requests to POST /echo; asserts that it succeeded and that every response was a 200.
 * @param args makes the program's arguments from the URL
 */
export async function assertPoolServed(
  t: Test,
  name: string,
  args: (url: string) => readonly string[],
  requests: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const server: TestEdge = await openTestEdge();
  t.teardown(() => server.close());
  const { stdout } = await run(name, args(`http://127.0.0.1:${server.port}/echo`), {
    timeout: 120_000,
    env: { ...process.env, ...environment },
  });
  t.equal(stdout.trim(), `${requests} answers of 200`);
  t.equal(server.reached.length, requests, 'none was sent twice');
}
