import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { hmacSha256 } from '../../src/hmac-sha256.js';
import { holds } from '../support/properties.js';

const repeated = (byte: number, times: number): Buffer => Buffer.alloc(times, byte);

// RFC 4231, 4.2 to 4.8; 4.6 shows only the first half of its MAC.
const VECTORS = [
  [repeated(0x0b, 20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [repeated(0xaa, 20), repeated(0xdd, 50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
  [
    Buffer.from('0102030405060708090a0b0c0d0e0f10111213141516171819', 'hex'),
    repeated(0xcd, 50),
    '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  ],
  [repeated(0x0c, 20), 'Test With Truncation', 'a3b6167473100ee06e0c796c2955552b'],
  [
    repeated(0xaa, 131),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    repeated(0xaa, 131),
    'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  ],
] as const;

t.test('the vectors of RFC 4231', (t) => {
  for (const [key, message, expected] of VECTORS) {
    const mac = hmacSha256(key);
    t.equal(mac(message, 'hex').slice(0, expected.length), expected);
    t.equal(mac(Buffer.from(message), 'hex').slice(0, expected.length), expected, 'as bytes');
  }
  t.end();
});

t.test('is what createHmac says, whatever was asked before', (t) => {
  const mac = hmacSha256(Buffer.from('one key for all messages'));
  holds(
    t,
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 20_000, size: 'max' }),
      (key, message) => {
        const expected = (of: Uint8Array | string) => createHmac('sha256', of).update(message).digest('base64url');
        return (
          hmacSha256(key)(message, 'base64url') === expected(key) &&
          mac(message, 'base64url') === expected('one key for all messages')
        );
      },
    ),
  );
  t.end();
});

t.test('text is one byte a character', (t) => {
  const mac = hmacSha256(Buffer.from('key'));
  for (const text of ['', 'é', '\u0000ÿ', 'x'.repeat(16_384), 'x'.repeat(16_385), 'y'.repeat(100_000)]) {
    t.equal(mac(text, 'hex'), createHmac('sha256', 'key').update(text, 'latin1').digest('hex'), `${text.length}`);
  }
  t.end();
});
