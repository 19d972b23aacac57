import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { openRefreshToken, sealRefreshToken } from '../../src/server/sessions/refresh-token.js';
import { t } from '../support/tap.js';

const key = createSecretKey(randomBytes(32));
const other = createSecretKey(randomBytes(32));

t.test('a token can be opened, for every generation', async (t) => {
  fc.assert(
    fc.property(fc.uuid(), fc.maxSafeNat(), (sessionId, generation) => {
      const token = sealRefreshToken({ sessionId, generation }, key);
      t.match(token, /^[A-Za-z0-9_-]{46,55}$/);
      t.same(openRefreshToken(token, [key]), { sessionId, generation });
    }),
    { numRuns: 300 },
  );
});

t.test('SEC-54: no changed character is accepted', async (t) => {
  const token = sealRefreshToken({ sessionId: randomUUID(), generation: 300 }, key);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let position = 0; position < token.length; position++) {
    for (const character of alphabet) {
      if (token[position] === character) continue;
      const forged = token.slice(0, position) + character + token.slice(position + 1);
      if (openRefreshToken(forged, [key]) !== undefined) t.fail(`position ${position}, character ${character}`);
    }
  }
  t.pass('every single-character change is rejected');
});

t.test('SEC-54: foreign keys, cut, stretched and odd input', async (t) => {
  const token = sealRefreshToken({ sessionId: randomUUID(), generation: 0 }, key);
  t.equal(openRefreshToken(token, [other]), undefined, 'sealed with another key');
  t.same(openRefreshToken(token, [other, key])?.generation, 0, 'a former key is still accepted');
  for (const text of [
    '',
    'a',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    'x'.repeat(10_000),
    'é'.repeat(46),
  ]) {
    t.equal(openRefreshToken(text, [key]), undefined, JSON.stringify(text.slice(0, 60)));
  }
});
