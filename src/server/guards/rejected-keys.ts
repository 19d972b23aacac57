/** About 5 MB when full. */
const MAX_KEYS = 20_000;

interface RejectedKey {
  readonly retryAtMs: number;
  readonly recheckAtMs: number;
}

/**
 * Rejected keys until they may try again, so that a flood of rejected requests causes no database work (SEC-67). When
 * it is full the oldest key is removed, whose next request costs a statement.
 */
export class RejectedKeys {
  readonly #keys = new Map<string, RejectedKey>();
  private readonly now: () => number;
  private readonly most: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now(), most = MAX_KEYS) {
    this.now = now;
    this.most = most;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** @returns seconds until the next try; 0 when the request must be counted */
  waitSeconds(key: string): number {
    const rejected = this.#keys.get(key);
    if (rejected === undefined) return 0;
    const now = this.now();
    if (now < rejected.recheckAtMs && now < rejected.retryAtMs) return (rejected.retryAtMs - now) / 1000;
    this.#keys.delete(key);
    return 0;
  }

  /** @param recheckSeconds the key is counted again after this time, since another process may have refunded it */
  remember(key: string, waitSeconds: number, recheckSeconds: number): void {
    const now = this.now();
    this.#keys.delete(key);
    if (this.#keys.size >= this.most) this.#keys.delete(this.#keys.keys().next().value!);
    this.#keys.set(key, { retryAtMs: now + waitSeconds * 1000, recheckAtMs: now + recheckSeconds * 1000 });
  }

  forget(key: string): void {
    this.#keys.delete(key);
  }
}
