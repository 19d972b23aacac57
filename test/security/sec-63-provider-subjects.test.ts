import { startIssuer } from '../support/issuer.js';
import { endSignIn, findProvider, loadProviders, providerSettings, redeemIdToken } from '../support/sign-in.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

const bad = [undefined, null, '', '  ', {}, [], ['a'], true, false, Number.NaN, -1, 0];

t.test('SEC-63: a profile without a usable id is refused', async (t) => {
  const server = await startStubServer(t);
  server.answers.set('/login/oauth/access_token', { body: { access_token: 'tok1' } });
  server.answers.set('/api/v3/user/emails', { body: [{ email: 'a@example.com', primary: true, verified: true }] });
  const github = await findProvider(await loadProviders(providerSettings('github', server.url)), 'github');
  for (const id of [...bad, 1.5, 2 ** 53]) {
    server.answers.set('/api/v3/user', { body: { id, login: 'octo' } });
    await t.rejects(endSignIn(github), { message: 'error missing provider id' }, JSON.stringify(id));
  }
  server.answers.set('/api/v3/user', { body: { error: 'rate limited' } });
  await t.rejects(endSignIn(github), { message: 'error missing provider id' }, 'an error with status 200');
});

t.test('SEC-63: an ID token without a usable sub is refused', async (t) => {
  const it = await startIssuer(t);
  const providers = await loadProviders(providerSettings('google', it.issuer));
  const google = await findProvider(providers, 'google');
  for (const sub of [...bad, 7]) {
    it.claims = { sub, email: 'a@example.com', email_verified: true };
    await t.rejects(endSignIn(google), { message: /^error missing provider id$|user profile/ }, JSON.stringify(sub));
    const idToken = await it.signIdToken({ nonce: undefined });
    await t.rejects(redeemIdToken(providers, { provider: 'google', idToken }), {
      message: /^Missing sub claim|^Bad ID token/,
    });
  }
});
