/** Keys, addresses and files of hooks, and the cache of claims. */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../src/server/config/load.js';
import { parseHookSecrets, parseHookUri } from '../../src/server/config/parse-hooks.js';
import { openClaimsCache } from '../../src/server/hooks/claims-cache.js';
import { openHttpHook } from '../../src/server/hooks/http.js';
import { prepareSigning } from '../../src/server/hooks/signature.js';
import { makeCertificate } from '../support/certificate.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

function makePair() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return { publicKey, raw, seed, whpk: raw.toString('base64'), whsk: Buffer.concat([seed, raw]).toString('base64') };
}

t.test('v1a: an Ed25519 signature that the public key verifies', async (t) => {
  const pair = makePair();
  const parsed = parseHookSecrets(`v1a,whpk_${pair.whpk}:whsk_${pair.whsk}`);
  if ('fault' in parsed) return t.fail(parsed.fault);
  const headers = prepareSigning(parsed.value)('id', 1700000000, '{}');
  const [version, signature] = headers['webhook-signature']!.split(',');
  t.equal(version, 'v1a');
  const key = createPublicKey(pair.publicKey.export({ format: 'pem', type: 'spki' }));
  t.ok(verify(null, Buffer.from('id.1700000000.{}'), key, Buffer.from(signature!, 'base64')));
});

t.test('secrets that cannot sign are faults that do not repeat them', async (t) => {
  const pair = makePair();
  const other = makePair();
  for (const text of [
    'v1,whsec_short',
    'whsec_dGhlLXNlY3JldC1vZi10aGUtdGVzdHMtb2YtaG9va3M=',
    'v1,whsec_====dGhlLXNlY3JldC1vZi10aGUtdGVzdHMtb2Yt',
    `v1a,whpk_${pair.whpk}:whsk_${other.whsk}`,
    `v1a,whpk_${pair.whpk}:whsk_AAAA`,
    'v2,x',
  ]) {
    const parsed = parseHookSecrets(text);
    t.ok('fault' in parsed, text);
    if ('fault' in parsed) t.notMatch(parsed.fault, text);
  }
});

t.test('addresses', async (t) => {
  t.same(parseHookUri('pg-functions://postgres/public/my_hook'), {
    value: { kind: 'function', schema: 'public', name: 'my_hook' },
  });
  for (const good of [
    'https://a.example/x?y=1',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://host.docker.internal/',
  ]) {
    t.ok('value' in parseHookUri(good), good);
  }
  for (const bad of [
    'http://a.example',
    'ftp://a',
    'pg-functions://x/public',
    'pg-functions://x/a/b;drop',
    'https://u:p@a.example',
    'x',
  ]) {
    t.ok('fault' in parseHookUri(bad), bad);
  }
  const environment = testEnvironment('postgres://localhost/none', { HOOK_SEND_SMS_ENABLED: 'true' });
  t.throws(
    () => loadConfig({ environment, file: null }),
    /AUTH_HOOK_SEND_SMS_URI is missing, and AUTH_HOOK_SEND_SMS_ENABLED/,
  );
  const strict = {
    ...environment,
    AUTH_HOOK_SEND_SMS_URI: 'https://a.example',
    AUTH_HOOK_BEFORE_USER_CREATED_FAIL_OPEN: 'true',
  };
  t.throws(() => loadConfig({ environment: strict, file: null }), /AUTH_HOOK_BEFORE_USER_CREATED_FAIL_OPEN/);
});

t.test("mutual TLS with a certificate authority of one's own", async (t) => {
  const server = makeCertificate('localhost');
  const client = makeCertificate('client');
  const receiver = createServer(
    { ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true },
    (_, response) => response.setHeader('content-type', 'application/json').end('{}'),
  );
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const url = `https://localhost:${(receiver.address() as AddressInfo).port}/`;
  const base = { timeoutSeconds: 1, maxConcurrency: 2, headers: {}, secrets: null, ca: server.cert };
  const call = (settings: { clientCert: string; clientKey: string; ca?: string }) => {
    const hook = openHttpHook(url, { ...base, ...settings });
    t.teardown(hook.close);
    return hook.call('id', '{}', () => undefined);
  };
  t.equal((await call({ clientCert: client.cert, clientKey: client.key })).status, 200);
  await t.rejects(call({ clientCert: '', clientKey: '' }), { name: 'HookFailure' });
  await t.rejects(call({ clientCert: client.cert, clientKey: client.key, ca: '' }), { name: 'HookFailure' });
});

t.test('the cache keeps what the hook changed, for this version of the account', async (t) => {
  let now = 0;
  const cache = openClaimsCache({}, () => now);
  const asked = { session_id: 's', iat: 100, exp: 3700, role: 'user', email: 'a', old: 1 };
  const question = { asked, method: 'token_refresh', ip: null, version: 'v1' };
  t.equal(cache.recall('s'), undefined);
  cache.keep(question, { session_id: 's', iat: 100, exp: 160, role: 'editor', email: 'a', plan: 'gold' }, 10);
  const later = { ...asked, iat: 200, exp: 3800, email: 'b' };
  const remembered = cache.recall('s')!;
  t.equal(remembered.version, 'v1');
  t.same(remembered.apply(later), { session_id: 's', iat: 200, exp: 260, role: 'editor', email: 'b', plan: 'gold' });
  now = 10_000;
  t.equal(cache.recall('s'), undefined, 'after its time');
});
