import { startIssuer } from '../support/issuer.js';
import {
  beginSignIn,
  CODE_VERIFIER,
  endSignIn,
  findProvider,
  loadProviders,
  NONCE,
  providerSettings,
  STATE,
} from '../support/sign-in.js';
import { t } from '../support/tap.js';

const person = {
  sub: 'g1',
  name: 'Goo G',
  picture: 'http://img/g.png',
  email: 'g@example.com',
  email_verified: true,
  hd: 'example.com',
};

t.test('google: PKCE and a nonce, which the caller may replace', async (t) => {
  const { issuer } = await startIssuer(t);
  const google = await findProvider(await loadProviders(providerSettings('google', issuer)), 'google');
  const { url, providerState } = await beginSignIn(google, { access_type: 'offline', scopes: 'a b,c' });
  t.equal(url.origin + url.pathname, `${issuer}/authorize`);
  t.match(Object.fromEntries(url.searchParams), {
    access_type: 'offline',
    client_id: 'cid',
    code_challenge_method: 'S256',
    nonce: NONCE,
    redirect_uri: 'http://localhost/callback',
    response_type: 'code',
    scope: 'email profile a b c',
    state: STATE,
  });
  t.equal(providerState, null);

  const own = await beginSignIn(google, { nonce: 'hash-of-the-app' });
  t.equal(own.url.searchParams.get('nonce'), 'hash-of-the-app');
  t.same(own.providerState, { nonce: 'hash-of-the-app' });
});

t.test('google: the profile is the ID token', async (t) => {
  const it = await startIssuer(t);
  it.claims = person;
  const google = await findProvider(await loadProviders(providerSettings('google', it.issuer)), 'google');
  t.same(await endSignIn(google), {
    profile: {
      subject: 'g1',
      claims: {
        iss: it.issuer,
        sub: 'g1',
        name: 'Goo G',
        full_name: 'Goo G',
        picture: 'http://img/g.png',
        avatar_url: 'http://img/g.png',
        provider_id: 'g1',
        custom_claims: { hd: 'example.com' },
      },
      addresses: [{ email: 'g@example.com', isVerified: true, isPrimary: true }],
    },
    accessToken: 'at1',
    refreshToken: null,
  });
  const exchange = it.server.requests.find(({ path }) => path === '/token')!;
  t.equal(exchange.form.get('code_verifier'), CODE_VERIFIER);
  t.equal(exchange.headers['content-type'], 'application/x-www-form-urlencoded');

  it.claims = { ...person, nonce: 'hash-of-the-app', email_verified: 'true' };
  await t.rejects(endSignIn(google), { message: /getting user profile/ });
  const grant = await endSignIn(google, { code: 'c' }, { nonce: 'hash-of-the-app' });
  t.match(grant, { profile: { addresses: [{ isVerified: true }] } }, 'a boolean as text');
});

t.test('google: without an ID token the profile is fetched', async (t) => {
  const { server, issuer } = await startIssuer(t);
  server.answers.set('/token', { body: { access_token: 'at1' } });
  const profile = { id: 'g1', name: 'Goo G', email: 'g@example.com', verified_email: true, sub: 'other' };
  server.answers.set('/userinfo', { body: profile });
  const google = await findProvider(await loadProviders(providerSettings('google', issuer)), 'google');
  t.match(await endSignIn(google), {
    profile: { subject: 'g1', claims: { iss: `${issuer}/userinfo` }, addresses: [{ isVerified: true }] },
  });
});
