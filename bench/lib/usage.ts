/** Processor time and memory of processes, from Linux's /proc. Elsewhere there is no answer, and the row says so. */
import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts in: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** @returns processor seconds used by the process and, if asked, its children, ended ones too; undefined without /proc */
export function readCpuSeconds(pid: number, withChildren = false): number | undefined {
  try {
    const { cpuSeconds, endedChildrenSeconds } = readStat(pid);
    if (!withChildren) return cpuSeconds;
    return childrenOf(pid).reduce((sum, child) => sum + child.cpuSeconds, cpuSeconds + endedChildrenSeconds);
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

function childrenOf(pid: number): ProcessStat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    try {
      const stat = readStat(Number(name));
      return stat.parent === pid ? [stat] : [];
    } catch {
      // Ended between the listing and the reading.
      return [];
    }
  });
}

interface ProcessStat {
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly endedChildrenSeconds: number;
}

function readStat(pid: number): ProcessStat {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The fields needed of proc_pid_stat(5); the name in parentheses may hold blanks. */
export function parseStat(line: string): ProcessStat {
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const seconds = (...indexes: number[]) => indexes.reduce((sum, at) => sum + fields[at]!, 0) / TICKS_PER_SECOND;
  return { parent: fields[1]!, cpuSeconds: seconds(11, 12), endedChildrenSeconds: seconds(13, 14) };
}
