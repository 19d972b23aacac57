import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { openDiscovery } from '../../src/server/providers/discovery.js';
import { verifyToken } from '../../src/server/providers/id-token.js';
import { keepLog } from '../support/quiet-log.js';
import { t } from '../support/tap.js';

t.test('keys of unknown algorithms beside the one that signs', async (t) => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const signing = { ...(await exportJWK(publicKey)), kid: 'signs', alg: 'ES256', use: 'sig' };
  const keys = [
    { kty: 'AKP', alg: 'ML-DSA-65', kid: 'new', pub: 'AAAA' },
    { kty: 'EC', crv: 'P-999', alg: 'ES999', kid: 'curve', x: 'AA', y: 'AA' },
    { kty: 'RSA', alg: 'RSA-OAEP-256', use: 'enc', kid: 'encrypts', n: 'AQAB', e: 'AQAB' },
    { kty: 'made up' },
    signing,
  ];
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    const document = {
      issuer,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['ML-DSA-65', 'ES256'],
    };
    response.end(JSON.stringify(request.url === '/keys' ? { keys } : document));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document = await openDiscovery({ ttlSeconds: 60, callSeconds: 5, log: keepLog() }).find(issuer);
  const token = (kid: string | null) =>
    new SignJWT({ sub: 'a' })
      .setProtectedHeader({ alg: 'ES256', ...(kid !== null && { kid }) })
      .setIssuer(issuer)
      .setExpirationTime('1m')
      .sign(privateKey);
  for (const kid of ['signs', null]) {
    const { claims } = await verifyToken(await token(kid), document, ({ iss }) => iss === issuer);
    t.equal(claims['sub'], 'a', kid ?? 'without kid');
  }
  await t.rejects(
    verifyToken(await token('new'), document, () => true),
    /refused/,
    'another key is not taken',
  );
});

t.test('a claim that a double would change is kept as text', async (t) => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const exp = Math.floor(Date.now() / 1000) + 60;
  const payload = `{"iss":"a","exp":${exp},"n":12345678901234567890,"in":[{"é\\"1":-9007199254740993}],"huge":1e400}`;
  const token = await new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  const { claims } = await verifyToken(token, { keys: async () => publicKey, algorithms: ['ES256'] }, () => true);
  const kept = { n: '12345678901234567890', in: [{ 'é"1': '-9007199254740993' }], huge: '1e400' };
  t.strictSame(claims, { iss: 'a', exp, ...kept });
});
