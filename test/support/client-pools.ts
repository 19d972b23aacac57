/** Programs of other languages that keep a pool of connections, run against a small edge. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { openTestEdge, type TestEdge } from './test-edge.js';

const run = promisify(execFile);

/** @returns what it prints when it is asked for its version; null when it is not on PATH, or does not work */
export async function findProgram(name: string, ...versionArguments: string[]): Promise<string | null> {
  return run(name, versionArguments).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/**
 * Lets a program send its requests to POST /echo, and asserts that it ended well with each of them answered 200.
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
