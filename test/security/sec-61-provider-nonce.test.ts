import { createHash } from 'node:crypto';
import { startIssuer } from '../support/issuer.js';
import { beginSignIn, endSignIn, findProvider, loadProviders, NONCE, providerSettings } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const profileFailed = { message: 'Error getting user profile from external provider' };

t.test('SEC-61: an ID token must repeat the nonce that was sent', async (t) => {
  const it = await startIssuer(t);
  const google = await findProvider(await loadProviders(providerSettings('google', it.issuer)), 'google');
  const person = { email: 'a@example.com', email_verified: true };
  it.claims = person;
  t.match(await endSignIn(google), { profile: { subject: 'subject-1' } });
  for (const nonce of [
    undefined,
    null,
    '',
    'another',
    `${NONCE} `,
    [NONCE],
    createHash('sha256').update(NONCE).digest('hex'),
  ]) {
    it.claims = { ...person, nonce };
    await t.rejects(endSignIn(google), profileFailed, JSON.stringify(nonce));
  }
});

t.test('SEC-61: at_hash must be that of the access token', async (t) => {
  const it = await startIssuer(t);
  const google = await findProvider(await loadProviders(providerSettings('google', it.issuer)), 'google');
  const hash = (token: string) => createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
  const person = { email: 'a@example.com', email_verified: true };
  it.claims = { ...person, at_hash: hash('at1') };
  t.match(await endSignIn(google), { accessToken: 'at1' });
  for (const at_hash of [hash('at2'), '', 7, null]) {
    it.claims = { ...person, at_hash };
    await t.rejects(endSignIn(google), profileFailed, JSON.stringify(at_hash));
  }
});

t.test('SEC-61: the challenge is of our verifier, whatever the caller sends', async (t) => {
  const providers = await loadProviders({
    ...providerSettings('github', ''),
    ...providerSettings('gitlab', ''),
    ...providerSettings('keycloak', 'https://login.example.com/realms/main'),
  });
  for (const name of ['github', 'gitlab', 'keycloak']) {
    const { url } = await beginSignIn(await findProvider(providers, name), {
      code_challenge: 'forged',
      CODE_CHALLENGE_METHOD: 'plain',
      code_challenge_method: 'plain',
      request_uri: 'https://evil.example.com/object',
    });
    t.match(url.searchParams.get('code_challenge'), /^[\w-]{43}$/, name);
    t.same(url.searchParams.getAll('code_challenge_method'), ['S256'], name);
    t.notOk(url.searchParams.has('CODE_CHALLENGE_METHOD'), name);
    t.notOk(url.searchParams.has('request_uri'), name);
  }
});
