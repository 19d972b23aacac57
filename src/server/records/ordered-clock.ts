/** Times of records that lists show newest first: a client may have two within a millisecond, which is all that Date tells. */

const MOST_MICROSECONDS = 999;

/** @returns a clock whose times in UTC have microseconds: within a millisecond each is later than the one before */
export function openOrderedClock(): () => string {
  let [lastMs, microseconds] = [Number.NaN, 0];
  return () => {
    const ms = Date.now();
    microseconds = ms === lastMs ? Math.min(microseconds + 1, MOST_MICROSECONDS) : 0;
    lastMs = ms;
    return new Date(ms).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`);
  };
}
