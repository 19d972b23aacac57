/** What an import prints at its end. */
import type { StayingRows } from '../../../db/supabase-auth-oauth.js';
import { type Counts, type StageCounts, stageNames } from '../../importing/counts.js';
import type { Comparison } from './verify.js';

export const reportFile = (
  { accounts: { imported, skipped, refused } }: StageCounts,
  seconds: number,
  isJson: boolean,
): string =>
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

/** What stays there, and why. */
const reasons: Readonly<Record<keyof StayingRows, string>> = {
  deleted_clients: 'OAuth clients that were deleted there',
  client_requests: 'requests of OAuth clients that are under way: the clients begin anew',
  provider_sign_ins: 'sign-ins at identity providers that are under way: the users begin anew',
  company_sign_ins: 'sign-ins at companies that are under way: the users begin anew',
  unverified_factors: 'second factors that were never verified: the users begin anew',
};

/** @param staying rows that are not imported */
export function reportPeer(counts: StageCounts, staying: StayingRows, seconds: number, isJson: boolean): string {
  if (isJson) return `${JSON.stringify({ ...counts, staying, seconds })}\n`;
  const width = (stage: string): number => Math.max(9, stage.length);
  const lines = Object.entries(meanings).map(([name, meaning]) => {
    const columns = stageNames.map((stage) => String(counts[stage][name as keyof Counts]).padStart(width(stage)));
    return `${name.padEnd(8)}  ${columns.join('  ')}  ${meaning}\n`;
  });
  const head = stageNames.map((stage) => stage.padStart(width(stage))).join('  ');
  const left = Object.entries(staying).map(
    ([kind, rows]) => `not imported: ${rows} ${reasons[kind as keyof StayingRows]}\n`,
  );
  return `${' '.repeat(8)}  ${head}\n${lines.join('')}${left.join('')}in ${seconds.toFixed(1)} s\n`;
}

export function reportComparison({ totals, ...kinds }: Comparison, isJson: boolean): string {
  if (isJson) return `${JSON.stringify({ totals, ...kinds })}\n`;
  const counted = (
    [
      ...(['accounts', 'identities', 'sessions', 'factors', 'passkeys', 'providers', 'sso_providers'] as const),
      ...(['clients', 'consents'] as const),
    ] as const
  ).map(
    (kind) =>
      `${kind.padEnd(13)}  ${[totals.there, totals.here].map((side) => String(side[kind]).padStart(9)).join('  ')}\n`,
  );
  const compared = Object.entries(kinds).map(
    ([kind, { compared, different, changedHere }]) =>
      `compared ${compared} ${kind}: ${different} differ, ${changedHere} have changed here since\n`,
  );
  return `                   there       here\n${counted.join('')}${compared.join('')}`;
}
