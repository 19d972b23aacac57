/** Tables and chart of `npm run bench:profile`. */
import type { InstructionCounts } from './callgrind.js';
import { type BarGroup, drawBars } from './chart.js';
import type { Share, TimeProfile } from './cpu-profile.js';
import { describeBriefly, describeRun } from './machine.js';
import type { ProfileOptions } from './profile-options.js';
import type { Report, Result } from './results.js';
import { middle } from './statistics.js';
import { formatChange, formatNumber, type Table } from './table.js';

export interface Profile {
  readonly time?: TimeProfile | undefined;
  /** The last one is this checkout. */
  readonly instructions?: readonly InstructionCounts[] | undefined;
}

/** Modules with less are left out of the table. */
const LEAST_SHARE = 0.005;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export const shareTable = (what: string, shares: readonly Share[]): Table => ({
  header: [what, 'of the busy time'],
  rows: shares.filter(([, share]) => share >= LEAST_SHARE).map(([name, share]) => [name, percent(share)]),
});

/** A row for each revision; the change is that from the first one. */
export function instructionTable(traffic: string, sides: readonly InstructionCounts[]): Table {
  const medians = sides.map(({ rounds }) => middle(rounds) ?? 0);
  const rows = sides.map(({ revision, rounds }, index) => [
    revision,
    formatNumber(medians[index]),
    `${formatNumber(Math.min(...rounds))}–${formatNumber(Math.max(...rounds))}`,
    index === 0 ? '' : formatChange(medians[index]! / medians[0]!),
  ]);
  return { header: [`instructions per answer (${traffic})`, 'median', 'rounds', 'change'], rows };
}

function chartGroups({ time, instructions }: Profile): BarGroup[] {
  const groups: BarGroup[] = [];
  if (time !== undefined) {
    const bars = time.modules.slice(0, 15).map(([label, value]) => ({ label, value, text: percent(value) }));
    groups.push({ title: 'Busy time of the server thread', bars });
  }
  if (instructions !== undefined) {
    const bars = instructions.map(({ revision: label, rounds }) => {
      const value = middle(rounds) ?? 0;
      return { label, value, text: formatNumber(value) };
    });
    groups.push({ title: 'Instructions per answer', bars });
  }
  return groups;
}

export function reportProfile({ machine, options, time, instructions }: Result<ProfileOptions, Profile>): Report {
  const { traffic, seconds, rounds, answers } = options;
  const notes: string[] = [];
  const lengths: string[] = [];
  if (time !== undefined) {
    const { requestsPerSecond, p99Ms, cpuMicroseconds } = time.sample;
    notes.push(
      `${traffic} under the profiler: ${formatNumber(requestsPerSecond)}/s, p99 ${formatNumber(p99Ms)} ms, ${formatNumber(cpuMicroseconds?.server)} µs of processor time per answer over all threads.`,
    );
    lengths.push(`CPU profile of ${seconds} s`);
  }
  if (instructions !== undefined) lengths.push(`instructions: median of ${rounds} rounds of ${answers} answers`);
  return {
    tables: [
      ...(time === undefined ? [] : [shareTable('module', time.modules), shareTable('function', time.functions)]),
      ...(instructions === undefined ? [] : [instructionTable(traffic, instructions)]),
    ],
    notes: [...notes, describeRun(machine, [], lengths.join('; '))],
    chart: drawBars(
      `Where a request spends its time: ${traffic}`,
      describeBriefly(machine),
      chartGroups({ time, instructions }),
    ),
    chartAlt: 'Busy time of the server thread by module, and instructions per answer',
  };
}
