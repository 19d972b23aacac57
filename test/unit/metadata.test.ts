import { assertNewTokenFits, planMetadata, splitPatch, withFixed } from '../../src/server/accounts/metadata.js';
import { throwsApiError } from '../support/api-errors.js';
import { t } from '../support/tap.js';

t.test('null drops, anything else sets', async (t) => {
  const change = splitPatch({ a: 1, b: null, c: { d: null } });
  t.same({ ...change.set }, { a: 1, c: { d: null } });
  t.same(change.drop, ['b']);
});

t.test('fixed members take precedence, null members are dropped', async (t) => {
  t.same({ ...withFixed({ sub: 'mine', plan: 'pro', gone: null }, { sub: 'theirs' }) }, { sub: 'theirs', plan: 'pro' });
});

t.test('SEC-27: __proto__, constructor and prototype are ordinary keys', async (t) => {
  const hostile = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
  const { set } = splitPatch(hostile);
  t.equal(JSON.stringify(set), '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
  t.equal(JSON.stringify(withFixed(hostile, {})), JSON.stringify(hostile));
  t.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

const settings = {
  jwtIssuer: 'https://auth.example.com',
  jwtKeyId: 'key-1',
  jwtKeys: [],
  jwtKeysSource: 'environment',
  jwtDefaultGroupName: 'authenticated',
} as const;
const account = {
  id: '6b0a3b1e-6b0a-4b1e-8b0a-3b1e6b0a3b1e',
  aud: 'authenticated',
  email: 'ann@example.com',
  phone: null,
  role: 'authenticated',
  app_metadata: {},
  user_metadata: {},
};
const tooLong = { status: 422, errorCode: 'validation_failed', message: /would have \d+ bytes, and at most 12281 / };
const text = (length: number) => 'x'.repeat(length);

t.test('SEC-30, SEC-96: metadata of a new account fits its token, all of it together', async (t) => {
  const made = { audience: 'authenticated', email: 'ann@example.com', phone: null };
  t.doesNotThrow(() => assertNewTokenFits(settings, { ...made, userMetadata: { a: text(8000) } }));
  t.doesNotThrow(() =>
    assertNewTokenFits(settings, { ...made, userMetadata: { a: text(4000) }, appMetadata: { a: text(4000) } }),
  );
  for (const metadata of [
    { userMetadata: { a: text(9000) } },
    { userMetadata: {}, appMetadata: { a: text(9000) } },
    { userMetadata: { a: text(5000) }, appMetadata: { a: text(4000) } },
    { userMetadata: { [text(9000)]: 1 } },
    { userMetadata: { a: 'é'.repeat(4500) } },
  ]) {
    throwsApiError(t, () => assertNewTokenFits(settings, { ...made, ...metadata }), tooLong);
  }
});

t.test('SEC-87: more members than any token contains, unless null', async (t) => {
  const members = (value: unknown) => Object.fromEntries(Array.from({ length: 4900 }, (_, n) => [`k${n}`, value]));
  const made = { audience: 'authenticated', email: 'ann@example.com', phone: null };
  const size = { ...tooLong, message: /would have [56]\d{4} bytes, and at most 12281 / };
  throwsApiError(t, () => assertNewTokenFits(settings, { ...made, userMetadata: members(1) }), size);
  throwsApiError(t, () => planMetadata(settings, account, { user: members(1), app: null }), size);
  throwsApiError(t, () => planMetadata(settings, account, { user: null, app: members(1) }), size);
  t.doesNotThrow(() => assertNewTokenFits(settings, { ...made, userMetadata: members(null) }));
  t.same(planMetadata(settings, account, { user: members(null), app: null }).userMetadata?.drop.length, 4900);
});

t.test('SEC-96: a change is judged by its result', async (t) => {
  const plan = (user_metadata: object, app_metadata: object, user: object | null, app: object | null) =>
    planMetadata(
      settings,
      { ...account, user_metadata: { ...user_metadata }, app_metadata: { ...app_metadata } },
      { user: user as Record<string, unknown> | null, app: app as Record<string, unknown> | null },
    );
  t.doesNotThrow(() => plan({ a: text(7000) }, {}, { a: text(8000) }, null), 'what is replaced does not count');
  t.doesNotThrow(() => plan({ a: text(7000) }, {}, { a: null, b: text(7000) }, null), 'nor what is dropped');
  t.same(plan({ a: text(9000) }, {}, null, null), { userMetadata: null, appMetadata: null });
  throwsApiError(t, () => plan({ a: text(7000) }, {}, { b: text(2000) }, null), tooLong);
  throwsApiError(t, () => plan({ a: text(7000) }, {}, null, { b: text(2000) }), tooLong);
  throwsApiError(t, () => plan({}, {}, { a: text(5000) }, { a: text(5000) }), tooLong);
  // Of an account that was too long before there was the rule.
  t.doesNotThrow(() => plan({ a: text(30_000), b: text(30_000) }, {}, { a: null }, null), 'it may get shorter');
  throwsApiError(t, () => plan({ a: text(30_000) }, {}, { b: 1 }, null), tooLong);
});
