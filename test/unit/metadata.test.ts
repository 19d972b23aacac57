import t from 'tap';
import { assertMetadataSize, splitPatch, withFixed } from '../../src/server/accounts/metadata.js';
import { throwsRefusal } from '../support/refusals.js';

t.test('null drops, anything else sets', async (t) => {
  const change = splitPatch({ a: 1, b: null, c: { d: null } }, {}, 'data');
  t.same({ ...change.set }, { a: 1, c: { d: null } });
  t.same(change.drop, ['b']);
});

t.test('fixed members win, null members go', async (t) => {
  t.same({ ...withFixed({ sub: 'mine', plan: 'pro', gone: null }, { sub: 'theirs' }) }, { sub: 'theirs', plan: 'pro' });
});

t.test('SEC-27: __proto__, constructor and prototype are ordinary keys', async (t) => {
  const hostile = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
  const { set } = splitPatch(hostile, {}, 'data');
  t.equal(JSON.stringify(set), '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
  t.equal(JSON.stringify(withFixed(hostile, {})), JSON.stringify(hostile));
  t.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

t.test('SEC-30: 16 kB an object, 64 kB in all', async (t) => {
  t.doesNotThrow(() => assertMetadataSize({ a: 'x'.repeat(16_000) }, 'data'));
  throwsRefusal(t, () => assertMetadataSize({ a: 'x'.repeat(17_000) }, 'data'), {
    status: 400,
    errorCode: 'validation_failed',
  });
  throwsRefusal(t, () => splitPatch({ a: 'x'.repeat(10_000) }, { b: 'x'.repeat(60_000) }, 'data'), { status: 400 });
});
