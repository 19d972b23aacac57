/** Processor time and memory of processes, from Linux's /proc. Elsewhere there is no answer, and the row says so. */
import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts in: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** @returns processor seconds used by the process and, if asked, its direct children; undefined without /proc */
export function readCpuSeconds(pid: number, withChildren = false): number | undefined {
  try {
    const pids = withChildren ? [pid, ...childrenOf(pid)] : [pid];
    return pids.reduce((sum, each) => sum + (readStat(each)?.cpuSeconds ?? 0), 0);
  } catch {
    return undefined;
  }
}

/** @returns resident bytes, or undefined without /proc or when the process is gone */
export function readResidentBytes(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => readStat(candidate)?.parent === pid);
}

function readStat(pid: number): { parent: number; cpuSeconds: number } | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The two fields needed of proc_pid_stat(5); the name in parentheses may hold blanks. */
export function parseStat(line: string): { parent: number; cpuSeconds: number } {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
}
