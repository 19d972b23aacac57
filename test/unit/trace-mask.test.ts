/** What an attempt has seen is in no step of its trace, wherever it appears and however it is written. */
import fc from 'fast-check';
import { Mask, showParameters } from '../../src/server/external/tracing/mask.js';
import { holds } from '../support/properties.js';
import { t } from '../support/tap.js';

const forms: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  encodeURIComponent,
  (secret) => new URLSearchParams({ _: secret }).toString().slice(2),
  (secret) => JSON.stringify(secret).slice(1, -1),
  (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
];

/** All texts in a value, names of members too. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
};

t.test('a secret that was hidden is nowhere', async (t) => {
  const words = fc.string({ maxLength: 20 });
  const found = fc.tuple(words, fc.constantFrom(...forms), words, fc.constantFrom('note', 'error_body', 'sub', 'a b'));
  const secrets = fc.string({ minLength: 6, maxLength: 60 }).filter((text) => text.trim() !== '');
  holds(
    t,
    fc.property(secrets, fc.array(found, { minLength: 1, maxLength: 5 }), (secret, places) => {
      const mask = new Mask();
      mask.hide([secret, null, undefined, '']);
      const texts = places.map(([before, form, after, name]) => ({ [name]: `${before}${form(secret)}${after}` }));
      const detail = mask.step({ texts, [forms[0]!(secret)]: { deep: [[secret]] } });
      return textsIn(detail).every((text) => !forms.some((form) => text.includes(form(secret))));
    }),
  );
});

t.test('texts that are no Unicode stop nothing', async (t) => {
  const mask = new Mask();
  mask.hide(['\ud800-secret']);
  mask.hideMembers({ access_token: 'token-\udfff' });
  t.same(mask.step({ a: 'is \ud800-secret here', '\ud800': 'token-\udfff' }), { a: 'is … here', '\ufffd': '…' });
});

t.test('members with a telling name, tokens by their look, and what is too large', async (t) => {
  const mask = new Mask();
  mask.hideMembers({ a: { refresh_token: 'r-1234567', token_type: 'bearer' }, code: 'c-1234567' });
  t.same(
    mask.step({ text: 'r-1234567 c-1234567 bearer', client_secret: 'anything', token_endpoint: 'https://x.test' }),
    {
      text: '… … bearer',
      client_secret: '…',
      token_endpoint: 'https://x.test',
    },
  );
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const random = 'gho_16C7e42F292c6912E7710c838347Ae178B4a';
  t.same(mask.step({ sub: random, error_body: `no ${random}`, note: `see ${jwt}.` }), {
    sub: random,
    error_body: 'no …',
    note: 'see ….',
  });
  const large = mask.step({
    status: 400,
    claims: Object.fromEntries([...Array(50).keys()].map((n) => [n, 'x'.repeat(900)])),
  });
  t.same(large, { status: 400, left_out: ['claims'] });
  t.same(mask.step({ text: `a\u0000b${'c'.repeat(996)}\u{1f600}` }).text, `a b${'c'.repeat(996)}\ufffd`);
});

t.test('parameters: values of known names, lengths of others', async (t) => {
  t.same(
    showParameters(
      new Map([
        ['scope', 'openid'],
        ['login_hint', 'ada@example.com'],
        ['prompt', ''],
      ]),
    ),
    [
      { name: 'scope', value: 'openid' },
      { name: 'login_hint', value: '(15 characters)' },
      { name: 'prompt', value: '' },
    ],
  );
});
