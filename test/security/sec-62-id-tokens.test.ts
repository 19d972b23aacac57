import { createHash, createHmac } from 'node:crypto';
import { makeDiscovery, makeSigningKeys } from '../support/id-tokens.js';
import { startIssuer } from '../support/issuer.js';
import { endSignIn, findProvider, loadProviders, providerSettings, redeemIdToken } from '../support/sign-in.js';
import type { Test } from '../support/tap.js';
import { t } from '../support/tap.js';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const person = { email: 'victim@example.com', email_verified: true };
const inAnHour = Math.floor(Date.now() / 1000) + 3600;

/** Both sources of ID tokens: the token endpoint and the client. */
async function bothWays(t: Test) {
  const it = await startIssuer(t);
  it.claims = { ...person, nonce: undefined };
  const providers = await loadProviders({ ...providerSettings('google', it.issuer), ...appleOf(it.issuer) });
  const google = await findProvider(providers, 'google');
  let token = '';
  it.server.answers.set('/token', () => ({ body: { access_token: 'at1', id_token: token } }));
  return {
    it,
    providers,
    async isRefused(idToken: string, name: string): Promise<void> {
      token = idToken;
      await t.rejects(endSignIn(google), { message: /getting user profile/ }, `${name}, callback`);
      await t.rejects(redeem(providers, { idToken }), { message: 'Bad ID token' }, `${name}, grant`);
    },
  };
}

const appleOf = (issuer: string) => providerSettings('apple', issuer);

const redeem: typeof redeemIdToken = (providers, request) =>
  redeemIdToken(providers, { provider: 'google', ...request });

t.test('SEC-62: a token that the provider did not sign', async (t) => {
  const { it, providers, isRefused } = await bothWays(t);
  const good = await it.signIdToken();
  t.match(await redeem(providers, { idToken: good }), { provider: 'google', profile: { subject: 'subject-1' } });
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());

  await isRefused(`${header}.${encode({ ...claims, sub: 'other' })}.${signature}`, 'claims changed');
  await isRefused(`${encode({ alg: 'none' })}.${payload}.`, 'alg none');
  await isRefused(`${encode({ alg: 'NONE' })}.${payload}.${signature}`, 'alg NONE');
  const signed = `${encode({ alg: 'HS256', kid: it.keys.kid })}.${payload}`;
  for (const secret of [JSON.stringify(it.keys.publicJwk), it.keys.publicJwk.n!, 'the-secret']) {
    const mac = createHmac('sha256', secret).update(signed).digest('base64url');
    await isRefused(`${signed}.${mac}`, 'HS256 with the public key');
  }
  const foreign = await makeSigningKeys();
  const claimsOfOurs = { iss: it.issuer, aud: 'cid', sub: 'subject-1', ...person };
  await isRefused(await foreign.signIdToken(claimsOfOurs), 'an unknown key');
  await isRefused(await foreign.signIdToken(claimsOfOurs, { kid: it.keys.kid }), 'another key of the same name');
  await isRefused(await foreign.signIdToken(claimsOfOurs, { kid: undefined }), 'another key without a name');
  for (const text of ['', 'x', 'a.b.c', `${good}.x`, '....', `${header}.${payload}`]) {
    if (text !== '') await isRefused(text, `no token: ${text.slice(0, 8)}`);
  }
});

t.test('SEC-62: a token of another issuer, for another client, or out of time', async (t) => {
  const { it, isRefused, providers } = await bothWays(t);
  for (const iss of ['https://evil.example.com', `${it.issuer}/`, '', undefined, [it.issuer]]) {
    await isRefused(await it.signIdToken({ iss }), `iss ${JSON.stringify(iss)}`);
  }
  await isRefused(await it.signIdToken({ exp: Math.floor(Date.now() / 1000) - 1 }), 'expired');
  await isRefused(await it.signIdToken({ exp: undefined }), 'without end');
  await isRefused(await it.signIdToken({ nbf: inAnHour }), 'not yet');
  for (const aud of ['other', ['other'], [], '', undefined, { cid: true }]) {
    await t.rejects(redeem(providers, { idToken: await it.signIdToken({ aud }) }), {
      message: /^Unacceptable audience in id_token: \[(other)?\]$/,
    });
  }
  t.match(await redeem(providers, { idToken: await it.signIdToken({ aud: ['other', 'cid'] }) }), {
    provider: 'google',
  });
});

t.test('SEC-62: keys come from the configured address, whatever the token contains', async (t) => {
  const { it, isRefused } = await bothWays(t);
  const evil = await startIssuer(t);
  evil.claims = person;
  await isRefused(await evil.signIdToken({ iss: it.issuer }), 'signed elsewhere');
  const [, payload] = (await evil.signIdToken({ iss: it.issuer })).split('.');
  const header = encode({ alg: 'RS256', jku: `${evil.issuer}/keys`, jwk: evil.keys.publicJwk, kid: evil.keys.kid });
  await isRefused(`${header}.${payload}.AAAA`, 'brings its own key');
  t.equal(evil.server.requests.length, 0);
});

t.test('SEC-62: a document of another issuer, or with http endpoints, is not used', async (t) => {
  const it = await startIssuer(t);
  const path = '/.well-known/openid-configuration';
  for (const changes of [
    { issuer: 'https://evil.example.com' },
    { issuer: `${it.issuer}/` },
    { jwks_uri: 'http://keys.example.com/' },
    { jwks_uri: 'ftp://127.0.0.1/' },
    { jwks_uri: undefined },
    { token_endpoint: 'http://169.254.169.254/token' },
    { authorization_endpoint: 'javascript:alert(1)' },
  ]) {
    it.server.answers.set(path, { body: makeDiscovery(it.issuer, changes) });
    const idToken = await it.signIdToken({ nonce: undefined });
    // New providers: the discovery document is cached.
    const providers = await loadProviders(providerSettings('google', it.issuer));
    await t.rejects(redeem(providers, { idToken }), { message: /^Unexpected failure/ }, JSON.stringify(changes));
  }
});

t.test('SEC-62: the algorithms are those of the document; a new key is found, an old one forgotten', async (t) => {
  const it = await startIssuer(t, '', { id_token_signing_alg_values_supported: ['ES256', 'EdDSA', 'HS256', 'none'] });
  const providers = await loadProviders(providerSettings('google', it.issuer));
  await t.rejects(redeem(providers, { idToken: await it.signIdToken({ nonce: undefined }) }), {
    message: 'Bad ID token',
  });

  const claims = { iss: it.issuer, aud: 'cid', sub: 'subject-1', ...person };
  for (const algorithm of ['ES256', 'EdDSA'] as const) {
    const other = await startIssuer(t, '', { id_token_signing_alg_values_supported: [algorithm] });
    const [keys, spare] = await Promise.all([makeSigningKeys(algorithm), makeSigningKeys(algorithm)]);
    other.server.answers.set('/keys', { body: { keys: [spare.publicJwk, keys.publicJwk] } });
    const otherProviders = await loadProviders(providerSettings('google', other.issuer));
    const own = { ...claims, iss: other.issuer };
    const hash = createHash(algorithm === 'ES256' ? 'sha256' : 'sha512')
      .update('at1')
      .digest();
    const atHash = hash.subarray(0, hash.length / 2).toString('base64url');
    const idToken = await keys.signIdToken({ ...own, at_hash: atHash }, { kid: undefined });
    t.match(
      await redeem(otherProviders, { idToken, accessToken: 'at1' }),
      { provider: 'google' },
      `${algorithm}, no kid`,
    );
    await t.rejects(redeem(otherProviders, { idToken, accessToken: 'at2' }), { message: 'Bad ID token' }, algorithm);
    t.equal(other.countRequests('/keys'), 1);

    const late = await makeSigningKeys(algorithm);
    other.server.answers.set('/keys', { body: late.jwks });
    await t.rejects(redeem(otherProviders, { idToken: await late.signIdToken(own) }), { message: 'Bad ID token' });
    t.equal(other.countRequests('/keys'), 1, 'keys are looked at twice in 30 s at most');
  }
});
