/** What is remembered to save work, within bounds. The only file that sees lru-cache. */
import { LRUCache } from 'lru-cache';

export interface Lru<Value extends object> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Remembers the values used last. @param countCharacters at least 1; what is larger than all together is not kept */
export function openLru<Value extends object>(bounds: {
  readonly most: number;
  readonly mostCharacters: number;
  readonly countCharacters: (value: Value, key: string) => number;
}): Lru<Value> {
  const { most, mostCharacters, countCharacters } = bounds;
  const cache = new LRUCache<string, Value>({ max: most, maxSize: mostCharacters, sizeCalculation: countCharacters });
  return {
    get: (key) => cache.get(key),
    set: (key, value) => void cache.set(key, value),
  };
}
