/** What an import prints at its end. */
import { type Counts, type StageCounts, stageNames } from './bookmark.js';
import type { Comparison } from './verify.js';

type Report = (counts: StageCounts, seconds: number, isJson: boolean) => string;

export const reportFile: Report = ({ accounts: { imported, skipped, refused } }, seconds, isJson) =>
  isJson
    ? `${JSON.stringify({ imported, skipped, refused, seconds })}\n`
    : `imported ${imported}\nskipped  ${skipped} (already there, or deleted where they come from)\n` +
      `refused  ${refused}\nin ${seconds.toFixed(1)} s\n`;

const meanings: Readonly<Record<keyof Counts, string>> = {
  imported: 'new',
  changed: 'changed there since an earlier run',
  skipped: 'unchanged, or left out on purpose',
  kept: 'changed or ended here meanwhile, and left as they are',
  refused: 'see above',
  gone: 'deleted there since an earlier run: accounts stay, the rest ends',
};

export const reportPeer: Report = (counts, seconds, isJson) => {
  if (isJson) return `${JSON.stringify({ ...counts, seconds })}\n`;
  const lines = Object.entries(meanings).map(([name, meaning]) => {
    const columns = stageNames.map((stage) => String(counts[stage][name as keyof Counts]).padStart(9));
    return `${name.padEnd(8)}  ${columns.join('  ')}  ${meaning}\n`;
  });
  const head = stageNames.map((stage) => stage.padStart(9)).join('  ');
  return `${' '.repeat(8)}  ${head}\n${lines.join('')}in ${seconds.toFixed(1)} s\n`;
};

export function reportComparison({ totals, ...kinds }: Comparison, isJson: boolean): string {
  if (isJson) return `${JSON.stringify({ totals, ...kinds })}\n`;
  const counted = (['accounts', 'identities', 'sessions', 'factors', 'passkeys'] as const).map(
    (kind) =>
      `${kind.padEnd(10)}  ${[totals.there, totals.here].map((side) => String(side[kind]).padStart(9)).join('  ')}\n`,
  );
  const compared = Object.entries(kinds).map(
    ([kind, { compared, different, changedHere }]) =>
      `compared ${compared} ${kind}: ${different} differ, ${changedHere} have changed here since\n`,
  );
  return `                there       here\n${counted.join('')}${compared.join('')}`;
}
