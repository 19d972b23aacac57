/**
 * How many refusals are kept. Anyone can cause them, so their rate is limited, and one error may use only a part of it:
 * a flood of one kind hides no other.
 */

export interface RefusalRate {
  /** @returns how many of this error were left out since the last one that was kept; null: this one is left out, too */
  take(error: string): number | null;
  /** One that was taken could not be stored. */
  giveUp(error: string, leftOut: number): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** The part of the rate that one error may use. */
const SHARE = 0.5;

/** @param perSecond of one thread. @param burst how many are kept at once after a quiet time */
export function openRefusalRate(
  perSecond: number,
  burst: number,
  now: () => number = () => performance.now(),
): RefusalRate {
  const all: Bucket = { tokens: burst, atMs: now() };
  /** By error; there are as many as the catalogue has. */
  const buckets = new Map<string, Bucket & { leftOut: number }>();

  function fill(bucket: Bucket, share: number): void {
    const nowMs = now();
    bucket.tokens = Math.min(burst * share, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond * share);
    bucket.atMs = nowMs;
  }

  function bucketOf(error: string) {
    let bucket = buckets.get(error);
    if (bucket === undefined) {
      bucket = { tokens: burst * SHARE, atMs: now(), leftOut: 0 };
      buckets.set(error, bucket);
    }
    return bucket;
  }

  return {
    take(error) {
      const own = bucketOf(error);
      fill(own, SHARE);
      fill(all, 1);
      if (own.tokens < 1 || all.tokens < 1) {
        own.leftOut += 1;
        return null;
      }
      own.tokens -= 1;
      all.tokens -= 1;
      const { leftOut } = own;
      own.leftOut = 0;
      return leftOut;
    },
    giveUp(error, leftOut) {
      bucketOf(error).leftOut += leftOut + 1;
    },
  };
}
