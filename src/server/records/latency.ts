/** Times of answers in the last minute, as counts in buckets that grow by a fifth: a quantile is off by a tenth at most. */

export interface Latency {
  record(durationMs: number): void;
  /** `[bucket, count]` of the last 50 to 60 seconds. */
  read(): readonly (readonly [bucket: number, count: number])[];
  /** Requests a second. */
  rate(): number;
}

const GROWTH = 1.2;
const LOG_GROWTH = Math.log(GROWTH);
/** The upper end of the first bucket. */
const FIRST_MS = 0.1;
/** Up to 2 minutes. */
const BUCKETS = 78;
const SLOT_MS = 10_000;
const SLOTS = 6;

export function openLatency(now: () => number = () => performance.now()): Latency {
  const slots = Array.from({ length: SLOTS }, () => ({ turn: -1, counts: new Uint32Array(BUCKETS) }));
  const startedMs = now();

  function current() {
    const turn = Math.floor(now() / SLOT_MS);
    const slot = slots[turn % SLOTS]!;
    if (slot.turn !== turn) {
      slot.turn = turn;
      slot.counts.fill(0);
    }
    return slot.counts;
  }

  function read() {
    const oldest = Math.floor(now() / SLOT_MS) - SLOTS;
    const sums = new Float64Array(BUCKETS);
    for (const { turn, counts } of slots) if (turn > oldest) for (let i = 0; i < BUCKETS; i++) sums[i]! += counts[i]!;
    return [...sums].flatMap((count, bucket) => (count > 0 ? [[bucket, count] as const] : []));
  }

  return {
    record(durationMs) {
      const bucket = durationMs <= FIRST_MS ? 0 : Math.ceil(Math.log(durationMs / FIRST_MS) / LOG_GROWTH);
      current()[Math.min(bucket, BUCKETS - 1)]! += 1;
    },
    read,
    rate() {
      const total = read().reduce((sum, [, count]) => sum + count, 0);
      const seconds = Math.min(now() - startedMs, SLOTS * SLOT_MS - SLOT_MS / 2) / 1000;
      return seconds < 1 ? total : total / seconds;
    },
  };
}

/**
 * @param part as 0.99
 * @returns milliseconds; null without requests
 */
export function quantile(counts: readonly (readonly [bucket: number, count: number])[], part: number): number | null {
  const sums = new Map<number, number>();
  for (const [bucket, count] of counts) sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  const sorted = [...sums].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [bucket, count] of sorted) {
    seen += count;
    // The middle of the bucket.
    if (seen >= part * total) return FIRST_MS * GROWTH ** (bucket - 0.5);
  }
  return null;
}
