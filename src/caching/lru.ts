/** What is remembered to save work, within bounds. The only file that sees lru-cache. */
import { LRUCache } from 'lru-cache';

export interface Lru<Value extends object> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
}

export interface LruBounds<Value extends object> {
  readonly most: number;
  readonly mostCharacters: number;
  /** At least 1; what is larger than all together is not kept. */
  countCharacters(value: Value, key: string): number;
}

/** Remembers the values used last, for each owner apart and as long as there is that owner. */
export function lruByOwner<Owner extends object, Value extends object>(
  bounds: LruBounds<Value>,
): (owner: Owner) => Lru<Value> {
  const { most, mostCharacters, countCharacters } = bounds;
  const caches = new WeakMap<Owner, Lru<Value>>();
  return (owner) => {
    let cache = caches.get(owner);
    if (cache === undefined) {
      cache = new LRUCache<string, Value>({ max: most, maxSize: mostCharacters, sizeCalculation: countCharacters });
      caches.set(owner, cache);
    }
    return cache;
  };
}
