/** What an import prints at its end. */
import type { Counts, StageCounts } from './bookmark.js';
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
  gone: 'deleted there since an earlier run: accounts stay, sessions end',
};

export const reportPeer: Report = (counts, seconds, isJson) => {
  if (isJson) return `${JSON.stringify({ ...counts, seconds })}\n`;
  const lines = Object.entries(meanings).map(([name, meaning]) => {
    const [accounts, sessions] = [counts.accounts, counts.sessions].map((one) => String(one[name as keyof Counts]));
    return `${name.padEnd(8)}  ${accounts!.padStart(9)}  ${sessions!.padStart(9)}  ${meaning}\n`;
  });
  return `           accounts   sessions\n${lines.join('')}in ${seconds.toFixed(1)} s\n`;
};

export function reportComparison({ totals, accounts, sessions }: Comparison, isJson: boolean): string {
  if (isJson) return `${JSON.stringify({ totals, accounts, sessions })}\n`;
  const kinds = ['accounts', 'identities', 'sessions'] as const;
  const counted = kinds.map(
    (kind) =>
      `${kind.padEnd(10)}  ${[totals.there, totals.here].map((side) => String(side[kind]).padStart(9)).join('  ')}\n`,
  );
  const compared = Object.entries({ accounts, sessions }).map(
    ([kind, { compared, different, changedHere }]) =>
      `compared ${compared} ${kind}: ${different} differ, ${changedHere} have changed here since\n`,
  );
  return `                there       here\n${counted.join('')}${compared.join('')}`;
}
