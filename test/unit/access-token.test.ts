import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { verifyAccessToken } from '../../src/server/sessions/access-token.js';
import { throwsApiError } from '../support/api-errors.js';
import { secretKeySet } from '../support/signing-keys.js';
import { t } from '../support/tap.js';

const secret = 'a-secret-of-at-least-thirty-two-bytes';
const keys = secretKeySet(secret);
const now = 1_800_000_000;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
function sign(header: object, claims: unknown, key = secret): string {
  const head = `${encode(header)}.${encode(claims)}`;
  return `${head}.${createHmac('sha256', key).update(head).digest('base64url')}`;
}
const hs256 = { alg: 'HS256', typ: 'JWT' };

t.test('a token made by an independent library verifies', async (t) => {
  const token = await new SignJWT({ role: 'authenticated' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('s')
    .setExpirationTime(now + 60)
    .sign(Buffer.from(secret));
  t.match(verifyAccessToken(token, keys, now), { sub: 's', role: 'authenticated' });
});

t.test('exp is checked if present, its absence is accepted', async (t) => {
  t.match(verifyAccessToken(sign(hs256, { role: 'service_role' }), keys, now), { role: 'service_role' });
  t.match(verifyAccessToken(sign(hs256, { exp: now + 1 }), keys, now), { exp: now + 1 });
  throwsApiError(t, () => verifyAccessToken(sign(hs256, { exp: now }), keys, now), {
    status: 403,
    errorCode: 'bad_jwt',
    message: 'invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired',
  });
});

t.test('SEC-50: nothing in the header selects algorithm or key', async (t) => {
  const good = sign(hs256, { sub: 's' });
  const refused: Record<string, string> = {
    'alg none, no signature': `${encode({ alg: 'none' })}.${encode({ sub: 's' })}.`,
    'alg none, signed': sign({ alg: 'none' }, { sub: 's' }),
    'alg NONE': sign({ alg: 'NONE' }, { sub: 's' }),
    HS384: sign({ alg: 'HS384' }, { sub: 's' }),
    'RS256 with the secret as key': sign({ alg: 'RS256' }, { sub: 's' }),
    'no alg': sign({ typ: 'JWT' }, { sub: 's' }),
    crit: sign({ ...hs256, crit: ['exp'] }, { sub: 's' }),
    'another secret': sign(hs256, { sub: 's' }, `${secret}x`),
    'jwk in the header': sign({ ...hs256, jwk: { kty: 'oct', k: encode('x') } }, { sub: 's' }, 'x'),
    'signature cut off': good.split('.').slice(0, 2).join('.'),
    'signature emptied': `${good.split('.').slice(0, 2).join('.')}.`,
    'signature with bytes behind it': `${good}AAAA`,
    'signature with padding': `${good}=`,
    'four parts': `${good}.x`,
    'claims exchanged': `${good.split('.')[0]}.${encode({ sub: 'other' })}.${good.split('.')[2]}`,
    'another token kind': sign({ alg: 'HS256', typ: 'state+jwt' }, { sub: 's' }),
    'not base64': `${good.split('.')[0]}.§§.${good.split('.')[2]}`,
    empty: '',
    'claims an array': sign(hs256, ['sub']),
    'claims null': sign(hs256, null),
    'sub a number': sign(hs256, { sub: 7 }),
    'exp a string': sign(hs256, { exp: '9999999999' }),
    'aud an object': sign(hs256, { aud: { a: 1 } }),
  };
  for (const [name, token] of Object.entries(refused)) {
    throwsApiError(t, () => verifyAccessToken(token, keys, now), { status: 403, errorCode: 'bad_jwt' }, name);
  }
  t.match(
    verifyAccessToken(sign({ ...hs256, kid: 'whatever', jku: 'https://evil.example' }, { sub: 's' }), keys, now),
    { sub: 's' },
  );
});

t.test('an odd algorithm name is not repeated in the error', async (t) => {
  const token = sign({ alg: '<script>alert(1)</script>' }, {});
  throwsApiError(t, () => verifyAccessToken(token, keys, now), { message: /signing method given is invalid/ });
});

t.test('a verified token is cached for its keys, and its times are checked every time', async (t) => {
  const token = sign(hs256, { sub: 's', nbf: now, exp: now + 10 });
  const claims = verifyAccessToken(token, keys, now);
  t.equal(verifyAccessToken(token, keys, now + 9), claims, 'not read again');
  t.ok(Object.isFrozen(claims), 'shared, and so immutable');
  throwsApiError(t, () => verifyAccessToken(token, keys, now + 10), { message: /token is expired/ });
  throwsApiError(t, () => verifyAccessToken(token, keys, now - 31), { message: /not valid yet/ });
  const otherKeys = secretKeySet('another-secret-of-at-least-32-bytes');
  throwsApiError(t, () => verifyAccessToken(token, otherKeys, now), { message: /signature is invalid/ });
  const [head, , signature] = token.split('.');
  const forged = `${head}.${encode({ sub: 'another user' })}.${signature}`;
  throwsApiError(t, () => verifyAccessToken(forged, keys, now), { message: /signature is invalid/ });
  t.equal(verifyAccessToken(token, keys, now), claims, 'a forgery does not change what is known');
});
