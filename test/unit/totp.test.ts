import { randomBytes } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../../src/server/factors/base32.js';
import {
  accountNameOf,
  buildTotpUri,
  cleanCode,
  createTotpSecret,
  defaultIssuer,
  findTotpDrift,
  hotpCode,
  matchTotp,
} from '../../src/server/factors/totp.js';
import { t } from '../support/tap.js';

/** The key of both RFCs. */
const KEY = Buffer.from('12345678901234567890');
const secret = encodeBase32(KEY);

/** RFC 4226, appendix D: the code of counter 0, 1, 2 … */
const HOTP = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');

/** RFC 6238, appendix B, the rows of SHA-1: seconds since 1970, and eight digits of which six are the code. */
const TOTP: [seconds: number, digits: string][] = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
];

const attempt = (code: string, nowSeconds: number, skewSteps = 1) => matchTotp(secret, code, { nowSeconds, skewSteps });

t.test('the codes of RFC 4226', async (t) => {
  t.same(
    HOTP.map((_, counter) => hotpCode(KEY, counter)),
    HOTP,
  );
});

t.test('the codes of RFC 6238', async (t) => {
  for (const [seconds, digits] of TOTP) {
    const step = Math.floor(seconds / 30);
    t.same(attempt(digits.slice(2), seconds, 0), { step, offset: 0 }, `at ${seconds}`);
  }
});

t.test('steps around now are accepted as far as the skew goes, and named', async (t) => {
  const now = 1_700_000_000;
  const step = Math.floor(now / 30);
  const codeOf = (offset: number) => hotpCode(KEY, step + offset);
  for (const skew of [0, 1, 2, 3]) {
    for (let offset = -12; offset <= 12; offset++) {
      const distance = Math.abs(offset);
      const accepted = distance <= skew ? { step: step + offset, offset } : null;
      t.same(attempt(codeOf(offset), now, skew), accepted, `skew ${skew}, offset ${offset}`);
      const drift = distance > skew && distance <= 10 ? offset : null;
      t.equal(findTotpDrift(secret, codeOf(offset), { nowSeconds: now, skewSteps: skew }), drift, `drift ${offset}`);
    }
  }
});

t.test('a step begins and ends to the millisecond', async (t) => {
  const code = hotpCode(KEY, 1);
  const fits = (nowSeconds: number) => matchTotp(secret, code, { nowSeconds, skewSteps: 0 }) !== null;
  t.same([29.999, 30, 59.999, 60].map(fits), [false, true, true, false]);
});

t.test('codes are taken with spaces and hyphens; what is no code is wrong', async (t) => {
  for (const typed of ['287082', ' 287 082\n', '287-082', '28 70 82', '287\u2013082', '287\u00a0082']) {
    t.match(attempt(typed, 59), { step: 1 }, JSON.stringify(typed));
    t.equal(cleanCode(typed), '287082');
  }
  for (const typed of ['', '28708', '2870820', 'abcdef', '28708a', '٢٨٧٠٨٢', '287.082']) {
    t.equal(attempt(typed, 59), null, JSON.stringify(typed));
  }
  t.equal(matchTotp('!', '287082', { nowSeconds: 59, skewSteps: 1 }), null);
});

t.test('secrets are 20 random bytes in base32', async (t) => {
  const secrets = Array.from({ length: 50 }, createTotpSecret);
  t.equal(new Set(secrets).size, 50);
  for (const one of secrets) t.match(one, /^[A-Z2-7]{32}$/);
  t.equal(decodeBase32(secrets[0]!)?.length, 20);
});

t.test('base32 of RFC 4648, and of anything', async (t) => {
  const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, digits] of Object.entries(vectors)) {
    t.equal(encodeBase32(Buffer.from(text)), digits);
    t.equal(decodeBase32(digits)?.toString(), text);
    t.equal(decodeBase32(`${digits.toLowerCase()}======`)?.toString(), text);
  }
  for (let length = 1; length < 40; length++) {
    const bytes = randomBytes(length);
    t.same(decodeBase32(encodeBase32(bytes)), bytes);
  }
  for (const text of ['', '=', 'A', '01', 'MZ XW']) t.equal(decodeBase32(text), null, JSON.stringify(text));
});

t.test('the URI has its parameters by name, and every reserved character escaped', async (t) => {
  t.equal(
    buildTotpUri({ issuer: 'auth.example.com:3000', account: 'a@example.com', secret }),
    'otpauth://totp/auth.example.com%3A3000:a%40example.com' +
      `?algorithm=SHA1&digits=6&issuer=auth.example.com%3A3000&period=30&secret=${secret}`,
  );
  const issuer = "A&B = C+D #1 (50%) it's/ok?*!";
  const url = new URL(buildTotpUri({ issuer, account: 'x', secret }));
  t.equal(url.searchParams.get('issuer'), issuer);
  t.equal(url.hash, '');
  t.equal(decodeURIComponent(url.pathname), `/${issuer}:x`);
  t.notMatch(url.href.replace(/^otpauth:\/\/totp\/|:x\?|[&=](?=\w)/g, ''), /[!#$&'()*+,/:;=?@[\]]/);
});

t.test('issuer and account have something to show', async (t) => {
  t.equal(defaultIssuer('https://app.example.com:8443/welcome'), 'app.example.com:8443');
  t.equal(defaultIssuer('com.example.app:///'), 'com.example.app');
  t.equal(accountNameOf({ id: 'i', email: 'a@example.com', phone: '1' }), 'a@example.com');
  t.equal(accountNameOf({ id: 'i', email: '', phone: '15550100' }), '15550100');
  t.equal(accountNameOf({ id: 'i', email: null, phone: '' }), 'i');
});
