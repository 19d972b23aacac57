/** Processes of a test in process groups of their own, which a signal to the test does not reach. */
import type { ChildProcess } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const groups = new Set<ChildProcess>();

/** Ends a process and those that it started. */
export function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** The signal then does what it does without this. */
function endAll(signal: NodeJS.Signals): void {
  for (const child of groups) endGroup(child);
  for (const other of SIGNALS) process.removeListener(other, endAll);
  process.kill(process.pid, signal);
}

/**
 * Ends a process, started with `detached: true`, when a signal ends this one: a run that is cut off leaves no servers.
 */
export function endWithTest(child: ChildProcess): void {
  if (groups.size === 0) for (const signal of SIGNALS) process.on(signal, endAll);
  groups.add(child);
  child.once('exit', () => {
    groups.delete(child);
    if (groups.size === 0) for (const signal of SIGNALS) process.removeListener(signal, endAll);
  });
}
