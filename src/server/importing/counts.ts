/** What became of the rows of an import. */

export interface Counts {
  imported: number;
  /** Changed where they come from since an earlier run, and not here. */
  changed: number;
  /** As they were, or left out on purpose. */
  skipped: number;
  /** Changed or deleted here since an earlier run: left as they are. */
  kept: number;
  refused: number;
  /** Came with an earlier run and are no longer where they came from. */
  gone: number;
}

/** What is imported, in this order. */
export const stageNames = [
  ...(['accounts', 'factors', 'passkeys', 'providers', 'sso_providers'] as const),
  ...(['clients', 'consents', 'sessions'] as const),
] as const;
export type StageName = (typeof stageNames)[number];
export type StageCounts = Record<StageName, Counts>;

const noCounts = (): Counts => ({ imported: 0, changed: 0, skipped: 0, kept: 0, refused: 0, gone: 0 });

export const noStageCounts = (): StageCounts =>
  Object.fromEntries(stageNames.map((name) => [name, noCounts()])) as StageCounts;

export const countRefused = (counts: StageCounts): number =>
  stageNames.reduce((sum, name) => sum + counts[name].refused, 0);
