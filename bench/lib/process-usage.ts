/** Processor time and memory of processes, from Linux's /proc; undefined on other systems. */
import { readFileSync } from 'node:fs';

/** USER_HZ of proc_pid_stat(5): 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time of a process and, if wanted, of its children, past ones included. */
export function readCpuSeconds(pid: number, withChildren = false): number | undefined {
  try {
    const { own, endedChildren } = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (!withChildren) return own;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + (readCpuSeconds(Number(child)) ?? 0), own + endedChildren);
  } catch {
    return undefined;
  }
}

export function readResidentBytes(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}

/** Follows the resident memory of a process until `stop`, which returns the most. */
export function watchMemory(pid: number): { stop(): number | undefined } {
  let most: number | undefined;
  const timer = setInterval(() => {
    const bytes = readResidentBytes(pid);
    if (bytes !== undefined) most = Math.max(most ?? 0, bytes);
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

/** The name in parentheses may hold blanks and parentheses. */
export function parseStat(stat: string): { own: number; endedChildren: number } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
  return { own: seconds(11), endedChildren: seconds(13) };
}
