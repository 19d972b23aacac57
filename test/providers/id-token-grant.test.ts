import { createHash } from 'node:crypto';
import t from 'tap';
import type { IdTokenRequest, Providers } from '../../src/server/providers/contract.js';
import { startIssuer } from '../support/issuer.js';
import { openRoom, providerSettings } from '../support/sign-in.js';

const redeem = (room: Providers, request: Partial<IdTokenRequest>) =>
  room.verifyIdToken({ idToken: 'x', accessToken: '', nonce: '', provider: '', clientId: '', issuer: '', ...request });

async function refusalOf(room: Providers, request: Partial<IdTokenRequest>) {
  const error = await redeem(room, request).catch((error: unknown) => error);
  const { errorCode, message, extra } = error as { errorCode: string; message: string; extra: { error: string } };
  return [errorCode, extra?.error, message];
}

const notAllowed = (provider: string) => `Custom OIDC provider "${provider}" not allowed`;

t.test('id_token: what is asked for before anybody is called', async (t) => {
  const room = await openRoom({});
  const invalid = (text: string) => ['validation_failed', 'invalid request', text];
  const off = (issuer: string) => [
    'provider_disabled',
    'invalid request',
    `Provider (issuer "${issuer}") is not enabled`,
  ];
  t.same(await refusalOf(room, { idToken: '' }), invalid('id_token required'));
  t.same(await refusalOf(room, { clientId: 'a' }), invalid('provider or client_id and issuer required'));
  t.same(await refusalOf(room, { issuer: 'a' }), invalid('provider or client_id and issuer required'));
  t.same(await refusalOf(room, { provider: 'github' }), invalid(notAllowed('github')));
  t.same(await refusalOf(room, { provider: 'Google' }), invalid(notAllowed('Google')));
  t.same(await refusalOf(room, { provider: 'google' }), off('https://accounts.google.com'));
  t.same(
    await refusalOf(room, { clientId: 'a', issuer: 'https://appleid.apple.com' }),
    off('https://appleid.apple.com'),
  );
  t.same(await refusalOf(room, { clientId: 'a', issuer: 'https://x.example.com' }), invalid(notAllowed('')));
});

t.test('id_token: the provider by its name or its issuer; every client id and no secret', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined, email: 'a@example.com', email_verified: true };
  const room = await openRoom(providerSettings('google', it.issuer, { CLIENT_ID: 'web,mobile', SECRET: '' }));
  const idToken = await it.signIdToken({ aud: 'mobile' });
  const grant = { provider: 'google', profile: { subject: 'somebody', addresses: [{ isVerified: true }] } };
  t.match(await redeem(room, { idToken, provider: 'google' }), grant);
  t.match(await redeem(room, { idToken, clientId: 'x', issuer: it.issuer }), grant);
  const other = { idToken, provider: 'google', issuer: 'https://accounts.google.com' };
  t.match(await refusalOf(room, other), [
    'validation_failed',
    'invalid request',
    'Provided issuer does not match ID token issuer',
  ]);
  t.equal(it.countAsked('/.well-known/openid-configuration'), 1);
  t.equal(it.countAsked('/keys'), 1);
});

t.test('id_token: the nonce of the client is hashed in the token', async (t) => {
  const it = await startIssuer(t);
  const room = await openRoom(providerSettings('google', it.issuer));
  const hash = createHash('sha256').update('raw').digest('hex');
  const with_ = await it.signIdToken({ nonce: hash });
  const without = await it.signIdToken({ nonce: undefined });
  const exist = 'Passed nonce and nonce in id_token should either both exist or not.';
  const google = { provider: 'google' };
  t.match(await redeem(room, { ...google, idToken: with_, nonce: 'raw' }), { provider: 'google' });
  t.same(await refusalOf(room, { ...google, idToken: with_ }), ['validation_failed', 'invalid request', exist]);
  t.same(await refusalOf(room, { ...google, idToken: without, nonce: 'raw' }), [
    'validation_failed',
    'invalid request',
    exist,
  ]);
  const mismatch = ['validation_failed', 'invalid nonce', 'Nonces mismatch'];
  t.same(await refusalOf(room, { ...google, idToken: with_, nonce: hash }), mismatch);
  const lenient = await openRoom(providerSettings('google', it.issuer, { SKIP_NONCE_CHECK: 'true' }));
  t.match(await redeem(lenient, { ...google, idToken: with_ }), { provider: 'google' });
});

t.test('id_token: apple and azure are refused by name', async (t) => {
  const it = await startIssuer(t);
  const bundle = { AUTH_EXTERNAL_IOS_BUNDLE_ID: 'com.example.app' };
  const room = await openRoom({ ...providerSettings('apple', it.issuer), ...bundle });
  const apple = { provider: 'apple' };
  const without = await it.signIdToken({ iss: undefined });
  t.match(
    (await refusalOf(room, { ...apple, idToken: without }))[2],
    'Unable to detect issuer in ID token for Apple provider',
  );
  const foreign = await it.signIdToken({ iss: 'https://evil.example.com' });
  const detected = 'Detected ID token issuer is not an Apple ID token issuer';
  t.equal((await refusalOf(room, { ...apple, idToken: foreign }))[2], detected);
  const native = await it.signIdToken({ aud: 'com.example.app', nonce: undefined });
  t.match(await redeem(room, { ...apple, idToken: native }), { provider: 'apple', profile: { subject: 'somebody' } });
});

t.test('id_token: issuers of the operator', async (t) => {
  const it = await startIssuer(t);
  it.claims = { nonce: undefined };
  const idToken = await it.signIdToken({ aud: 'their-app' });
  const issuers = `https://x.example.com,${it.issuer};their-app`;
  const allowed = await openRoom({ AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: issuers });
  const request = { idToken, clientId: 'their-app', issuer: it.issuer };
  t.match(await redeem(allowed, request), { provider: it.issuer, isEmailOptional: false, profile: { addresses: [] } });
  t.match(await redeem(allowed, { ...request, clientId: 'other' }), { provider: it.issuer }, 'a name, no permission');
  t.equal((await refusalOf(await openRoom({}), request))[2], notAllowed(''));

  const custom = await openRoom({
    AUTH_EXTERNAL_CUSTOM_ACME_ISSUER: it.issuer,
    AUTH_EXTERNAL_CUSTOM_ACME_CLIENT_ID: 'their-app',
    AUTH_EXTERNAL_CUSTOM_ACME_SECRET: 's',
    AUTH_EXTERNAL_CUSTOM_ACME_EMAIL_OPTIONAL: 'true',
  });
  const grant = { provider: 'custom:acme', isEmailOptional: true };
  t.match(await redeem(custom, { idToken, provider: 'custom:acme' }), grant);
  t.match(await redeem(custom, request), grant);
});
