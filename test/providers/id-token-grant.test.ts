import { createHash } from 'node:crypto';
import type { IdTokenRequest, Providers } from '../../src/server/providers/contract.js';
import { startIssuer } from '../support/issuer.js';
import { loadProviders, providerSettings, redeemIdToken } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const redeem: typeof redeemIdToken = (providers, request) => redeemIdToken(providers, { idToken: 'x', ...request });

async function errorOf(providers: Providers, request: Partial<IdTokenRequest>) {
  const error = await redeem(providers, request).catch((error: unknown) => error);
  const { errorCode, message, extra } = error as { errorCode: string; message: string; extra: { error: string } };
  return [errorCode, extra?.error, message];
}

const notAllowed = (provider: string) => `Custom OIDC provider "${provider}" not allowed`;

t.test('id_token: checks before any request to the issuer', async (t) => {
  const providers = await loadProviders({});
  const invalid = (text: string) => ['validation_failed', 'invalid request', text];
  const off = (issuer: string) => [
    'provider_disabled',
    'invalid request',
    `Provider (issuer "${issuer}") is not enabled`,
  ];
  t.same(await errorOf(providers, { idToken: '' }), invalid('id_token required'));
  t.same(await errorOf(providers, { clientId: 'a' }), invalid('provider or client_id and issuer required'));
  t.same(await errorOf(providers, { issuer: 'a' }), invalid('provider or client_id and issuer required'));
  t.same(await errorOf(providers, { provider: 'github' }), invalid(notAllowed('github')));
  t.same(await errorOf(providers, { provider: 'Google' }), invalid(notAllowed('Google')));
  t.same(await errorOf(providers, { provider: 'google' }), off('https://accounts.google.com'));
  t.same(
    await errorOf(providers, { clientId: 'a', issuer: 'https://appleid.apple.com' }),
    off('https://appleid.apple.com'),
  );
  t.same(await errorOf(providers, { clientId: 'a', issuer: 'https://x.example.com' }), invalid(notAllowed('')));
});

t.test('id_token: the provider by its name or its issuer; every client id and no secret', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined, email: 'a@example.com', email_verified: true };
  const providers = await loadProviders(providerSettings('google', it.issuer, { CLIENT_ID: 'web,mobile', SECRET: '' }));
  const idToken = await it.signIdToken({ aud: 'mobile' });
  const grant = { provider: 'google', profile: { subject: 'subject-1', addresses: [{ isVerified: true }] } };
  t.match(await redeem(providers, { idToken, provider: 'google' }), grant);
  t.match(await redeem(providers, { idToken, clientId: 'x', issuer: it.issuer }), grant);
  const other = { idToken, provider: 'google', issuer: 'https://accounts.google.com' };
  t.match(await errorOf(providers, other), [
    'validation_failed',
    'invalid request',
    'Provided issuer does not match ID token issuer',
  ]);
  t.equal(it.countRequests('/.well-known/openid-configuration'), 1);
  t.equal(it.countRequests('/keys'), 1);
});

t.test('id_token: the nonce of the client is hashed in the token', async (t) => {
  const it = await startIssuer(t);
  const providers = await loadProviders(providerSettings('google', it.issuer));
  const hash = createHash('sha256').update('raw').digest('hex');
  const with_ = await it.signIdToken({ nonce: hash });
  const without = await it.signIdToken({ nonce: undefined });
  const exist = 'Passed nonce and nonce in id_token should either both exist or not.';
  const google = { provider: 'google' };
  t.match(await redeem(providers, { ...google, idToken: with_, nonce: 'raw' }), { provider: 'google' });
  t.same(await errorOf(providers, { ...google, idToken: with_ }), ['validation_failed', 'invalid request', exist]);
  t.same(await errorOf(providers, { ...google, idToken: without, nonce: 'raw' }), [
    'validation_failed',
    'invalid request',
    exist,
  ]);
  const mismatch = ['validation_failed', 'invalid nonce', 'Nonces mismatch'];
  const base64 = createHash('sha256').update('raw').digest('base64url');
  const inBase64 = await it.signIdToken({ nonce: base64 });
  t.match(await redeem(providers, { ...google, idToken: inBase64, nonce: 'raw' }), { provider: 'google' });
  const pairs = [
    ...[hash, base64, 'raw'].map((given) => [given, given] as const),
    ...[hash.toUpperCase(), `${base64}=`].map((claim) => [claim, 'raw'] as const),
    ...[hash, base64].map((claim) => [claim, 'other'] as const),
  ];
  for (const [nonce, given] of pairs) {
    const idToken = await it.signIdToken({ nonce });
    t.same(await errorOf(providers, { ...google, idToken, nonce: given }), mismatch, `${given} for ${nonce}`);
  }
  const lenient = await loadProviders(providerSettings('google', it.issuer, { SKIP_NONCE_CHECK: 'true' }));
  t.match(await redeem(lenient, { ...google, idToken: with_ }), { provider: 'google' });
});

t.test('id_token: errors of apple and azure have their names', async (t) => {
  const it = await startIssuer(t);
  const bundle = { AUTH_EXTERNAL_IOS_BUNDLE_ID: 'com.example.app' };
  const providers = await loadProviders({ ...providerSettings('apple', it.issuer), ...bundle });
  const apple = { provider: 'apple' };
  const without = await it.signIdToken({ iss: undefined });
  t.match(
    (await errorOf(providers, { ...apple, idToken: without }))[2],
    'Unable to detect issuer in ID token for Apple provider',
  );
  const foreign = await it.signIdToken({ iss: 'https://evil.example.com' });
  const detected = 'Detected ID token issuer is not an Apple ID token issuer';
  t.equal((await errorOf(providers, { ...apple, idToken: foreign }))[2], detected);
  const native = await it.signIdToken({ aud: 'com.example.app', nonce: undefined });
  t.match(await redeem(providers, { ...apple, idToken: native }), {
    provider: 'apple',
    profile: { subject: 'subject-1' },
  });
});

t.test('id_token: configured issuers', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined };
  const idToken = await it.signIdToken({ aud: 'their-app' });
  const issuers = `https://x.example.com,${it.issuer};their-app`;
  const allowed = await loadProviders({ AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: issuers });
  const request = { idToken, clientId: 'their-app', issuer: it.issuer };
  t.match(await redeem(allowed, request), { provider: it.issuer, isEmailOptional: false, profile: { addresses: [] } });
  t.match(await redeem(allowed, { ...request, clientId: 'other' }), { provider: it.issuer }, 'a name, no permission');
  t.equal((await errorOf(await loadProviders({}), request))[2], notAllowed(''));

  const custom = await loadProviders({
    AUTH_EXTERNAL_CUSTOM_ACME_ISSUER: it.issuer,
    AUTH_EXTERNAL_CUSTOM_ACME_CLIENT_ID: 'their-app',
    AUTH_EXTERNAL_CUSTOM_ACME_SECRET: 's',
    AUTH_EXTERNAL_CUSTOM_ACME_EMAIL_OPTIONAL: 'true',
  });
  const grant = { provider: 'custom:acme', isEmailOptional: true };
  t.match(await redeem(custom, { idToken, provider: 'custom:acme' }), grant);
  t.match(await redeem(custom, request), grant);
});
