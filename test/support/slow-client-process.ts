import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from './tap.js';

const script = fileURLToPath(new URL('./slow-clients.js', import.meta.url));

export interface SlowClientsEnd {
  /** Shortest, median and longest. */
  readonly closedAfterMs: readonly [number, number, number];
  /** How many have had which status; `none`: closed without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Starts a process of clients that never finish the head, or the body, of a request (slow-clients.ts). */
export function startSlowClients(
  t: Test,
  port: number,
  kind: 'head' | 'body',
  count: number,
): { readonly isOpen: Promise<unknown>; readonly ended: Promise<SlowClientsEnd> } {
  const child: ChildProcess = spawn(process.execPath, [script, String(port), String(count), kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout! });
  const isOpen = once(lines, 'line');
  const ended = isOpen.then(async () => JSON.parse(String((await once(lines, 'line'))[0])) as SlowClientsEnd);
  return { isOpen, ended };
}

/**
 * Ours answers a body that is late after 10 s. The engine, whose clock ticks every 4 s, silently closes a body that comes at less
 * than 16 kB/s, 8 to 12 s after it began: whichever comes first. SEC-09 tests the 408.
 */
export function checkStatuses(t: Test, { statuses }: SlowClientsEnd): void {
  const others = Object.keys(statuses).filter((status) => !/^(?:408|none)/.test(status));
  t.same(others, [], `408 or closed: ${JSON.stringify(statuses)}`);
}
