import type { InstructionCounts } from './callgrind.js';
import { median } from './statistics.js';
import { formatChange, formatNumber, textTable } from './table.js';

export interface CountedSide {
  readonly name: string;
  readonly rounds: readonly InstructionCounts[];
}

const PARTS = [
  { what: 'code made by V8', isOf: (file: string) => file === '' },
  { what: 'node itself: V8, libuv, OpenSSL', isOf: (file: string) => file === 'node' },
  { what: 'HTTP engine', isOf: (file: string) => file.startsWith('uws') },
  { what: 'C and C++ libraries', isOf: (file: string) => /^(lib|ld-|vgpreload)/.test(file) },
] as const;

/**
 * @param answers in a round
 * @param sides the last one is compared with the first
 */
export function describeCounts(traffic: string, answers: number, sides: readonly CountedSide[]): string {
  const row = (what: string, countOf: (counts: InstructionCounts) => number): string[] => {
    const each = sides.map(({ rounds }) => median(rounds.map(countOf)) / answers);
    const change = each.length > 1 && each[0]! > 0 ? [formatChange(each.at(-1)! / each[0]!)] : [];
    return [what, ...each.map((count) => formatNumber(count)), ...change];
  };
  const sumOf = ({ byFile }: InstructionCounts, isOf: (file: string) => boolean) =>
    [...byFile].reduce((sum, [file, count]) => sum + (isOf(file) ? count : 0), 0);
  const isOther = (file: string) => !PARTS.some(({ isOf }) => isOf(file));
  const rangeOf = ({ rounds }: CountedSide): string => {
    const totals = rounds.map(({ total }) => total / answers);
    return `${formatNumber(Math.min(...totals))}–${formatNumber(Math.max(...totals))}`;
  };
  const rows = [
    row('all', ({ total }) => total),
    ['from round to round', ...sides.map(rangeOf)],
    ...PARTS.map(({ what, isOf }) => row(what, (counts) => sumOf(counts, isOf))),
    row('other', (counts) => sumOf(counts, isOther)),
  ];
  const header = [
    `instructions an answer (${traffic})`,
    ...sides.map(({ name }) => name),
    ...(sides.length > 1 ? ['change'] : []),
  ];
  return `\n${textTable(header, rows, ['left', ...header.slice(1).map(() => 'right' as const)])}\n`;
}
