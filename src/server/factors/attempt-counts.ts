/** Counts of verifications since the start, for metrics. */
import type { FactorKind } from '../../db/user-rows.js';

/** `drift`: the right code of another time. `replayed`: a code of a step that was accepted before. `rejected`: by the hook. */
export type VerificationResult = 'ok' | 'wrong' | 'drift' | 'replayed' | 'rejected';

export interface FactorStats {
  /** `kind result` → count. */
  readonly results: ReadonlyMap<string, number>;
  /** Steps by which the clock of an accepted code was off → count. */
  readonly offsets: ReadonlyMap<number, number>;
}

export interface FactorCounter {
  count(kind: FactorKind, result: VerificationResult): void;
  /** @param steps from the server's time to that of an accepted code */
  countOffset(steps: number): void;
  read(): FactorStats;
}

export function countFactorAttempts(): FactorCounter {
  const results = new Map<string, number>();
  const offsets = new Map<number, number>();
  return {
    count(kind, result) {
      const key = `${kind} ${result}`;
      results.set(key, (results.get(key) ?? 0) + 1);
    },
    countOffset: (steps) => void offsets.set(steps, (offsets.get(steps) ?? 0) + 1),
    read: () => ({ results, offsets }),
  };
}
