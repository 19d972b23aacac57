import { lruByOwner } from '../../src/caching/lru.js';
import { t } from '../support/tap.js';

t.test('a cache is bounded by the number of its values, and by their characters', async (t) => {
  const cacheOf = lruByOwner<object, { readonly text: string }>({
    maxEntries: 3,
    maxCharacters: 10,
    countCharacters: ({ text }, key) => text.length + key.length,
  });
  const cache = cacheOf(t);
  const kept = () => ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined);
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, { text: '1' });
  t.same(kept(), ['b', 'c', 'd'], 'three values');
  cache.set('a', { text: '1234567' });
  t.same(kept(), ['a', 'd'], 'ten characters');
  cache.set('b', { text: '1234567890' });
  t.same(kept(), ['a', 'd'], 'one that is larger than all of it is not kept, and drives out nothing');
  t.equal(cacheOf({}).get('a'), undefined, 'each owner has its own');
});
