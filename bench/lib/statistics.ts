import { median } from '../../test/support/statistics.js';

/** The median, or undefined where nothing was measured. */
export function middle(values: readonly (number | undefined)[]): number | undefined {
  const measured = values.filter((value) => value !== undefined);
  return measured.length === 0 ? undefined : median(measured);
}

/**
 * The median of the ratios of each round: whatever slows the machine for a while affects both sides of a round.
 * @returns undefined unless both sides have been measured in every round
 */
export function medianRatio(
  numerators: readonly (number | undefined)[],
  denominators: readonly (number | undefined)[],
): number | undefined {
  if (numerators.length !== denominators.length || [...numerators, ...denominators].includes(undefined))
    return undefined;
  return middle(numerators.map((value, round) => value! / denominators[round]!));
}
