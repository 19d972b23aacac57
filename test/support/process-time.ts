import { readFileSync } from 'node:fs';

/**
 * Processor time of a process and of its children that have ended. proc(5): the 14th to 17th field of stat, in ticks of 10 ms.
 * @throws where there is no /proc, or no such process
 */
export function readProcessSeconds(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
