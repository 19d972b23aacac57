/** Bounded caches. The only file that imports lru-cache. */
import { LRUCache } from 'lru-cache';

export interface Lru<Value extends object> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
}

export interface LruBounds<Value extends object> {
  readonly maxEntries: number;
  readonly maxCharacters: number;
  /** At least 1. A value larger than maxCharacters is not cached. */
  countCharacters(value: Value, key: string): number;
}

/** An LRU cache per owner, which lives as long as its owner. */
export function lruByOwner<Owner extends object, Value extends object>(
  bounds: LruBounds<Value>,
): (owner: Owner) => Lru<Value> {
  const { maxEntries, maxCharacters, countCharacters } = bounds;
  const caches = new WeakMap<Owner, Lru<Value>>();
  return (owner) => {
    let cache = caches.get(owner);
    if (cache === undefined) {
      cache = new LRUCache<string, Value>({
        max: maxEntries,
        maxSize: maxCharacters,
        sizeCalculation: countCharacters,
      });
      caches.set(owner, cache);
    }
    return cache;
  };
}
