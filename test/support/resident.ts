import { readFileSync } from 'node:fs';

/** @returns the resident memory of a process in MiB (Linux) */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
