import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';

import { makeHmac } from '../../src/jws/hmac.js';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((list) => Buffer.from(list));

t.test('the MAC is that of node:crypto, for keys and messages of any length', async (t) => {
  fc.assert(
    fc.property(bytes(200), fc.array(bytes(300), { maxLength: 3 }), (key, messages) => {
      const hmac = makeHmac(key);
      for (const message of messages) {
        t.equal(hmac(message, 'base64url'), createHmac('sha256', key).update(message).digest('base64url'));
      }
    }),
    { numRuns: 200 },
  );
  // The lengths at which something changes: of a key the block, of a message the workspace.
  for (const keyBytes of [0, 1, 63, 64, 65, 1000]) {
    const key = randomBytes(keyBytes);
    const hmac = makeHmac(key);
    for (const length of [0, 55, 56, 64, 8191, 8192, 8193, 100_000]) {
      const message = randomBytes(length);
      const expected = createHmac('sha256', key).update(message).digest('hex');
      t.equal(hmac(message, 'hex'), expected, `key of ${keyBytes} bytes, message of ${length}`);
    }
  }
});

t.test('a message may be text, and no message leaves a trace in the next one', async (t) => {
  const key = randomBytes(32);
  const hmac = makeHmac(key);
  for (const text of ['a'.repeat(5000), '', 'header.payload', 'a'.repeat(9000), 'b']) {
    t.equal(hmac(text, 'base64url'), createHmac('sha256', key).update(text).digest('base64url'));
  }
});

t.test('RFC 4231, 4.3: a known answer', async (t) => {
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  t.equal(makeHmac(Buffer.from('Jefe'))('what do ya want for nothing?', 'hex'), expected);
});
