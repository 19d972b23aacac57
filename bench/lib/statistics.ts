import { median } from '../../test/support/statistics.js';

/** The median, or undefined where nothing was measured. */
export function middle(values: readonly (number | undefined)[]): number | undefined {
  const measured = values.filter((value) => value !== undefined);
  return measured.length === 0 ? undefined : median(measured);
}

/**
 * The ratios of values that were measured in turns: whatever slows the machine for a while affects both sides of one.
 * @returns none unless both sides have been measured each time
 */
export function ratiosOf(
  numerators: readonly (number | undefined)[],
  denominators: readonly (number | undefined)[],
): number[] {
  if (numerators.length !== denominators.length || [...numerators, ...denominators].includes(undefined)) return [];
  return numerators.map((value, turn) => value! / denominators[turn]!);
}

/** The median of {@link ratiosOf}; undefined if there are none. */
export const medianRatio = (...sides: Parameters<typeof ratiosOf>): number | undefined => middle(ratiosOf(...sides));
