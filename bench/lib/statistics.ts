/** The middle value; of an even number of values, the mean of the two in the middle. @throws on none */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('No values to take the median of.');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The smallest value that at least `percent` of all values do not exceed (nearest rank).
 * @param sorted ascending
 * @returns 0 of none
 */
export function percentile(sorted: Float64Array | readonly number[], percent: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}

/** Median of the ratios of each round: what slows the machine for a while slows both sides of a round. */
export function medianRatio(numerators: readonly number[], denominators: readonly number[]): number {
  return median(numerators.map((value, round) => value / denominators[round]!));
}
