/** About 5 MB when full. */
const MOST_KEYS = 20_000;

interface RefusedKey {
  readonly retryAtMs: number;
  readonly recheckAtMs: number;
}

/**
 * Keys that were refused, until they may try again: a flood of refused requests costs no database work (SEC-67). When it
 * is full the key that has been here longest is forgotten, and costs one statement more.
 */
export class RefusedKeys {
  readonly #keys = new Map<string, RefusedKey>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly most = MOST_KEYS,
  ) {}

  get size(): number {
    return this.#keys.size;
  }

  /** @returns seconds until the key may be tried again; 0 when that has to be counted */
  waitSeconds(key: string): number {
    const refused = this.#keys.get(key);
    if (refused === undefined) return 0;
    const now = this.now();
    if (now < refused.recheckAtMs && now < refused.retryAtMs) return (refused.retryAtMs - now) / 1000;
    this.#keys.delete(key);
    return 0;
  }

  /** @param recheckSeconds ask again after so long, although the wait is longer: it may have been given back elsewhere */
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
