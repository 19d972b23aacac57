import { createHash } from 'node:crypto';
import { providerNames } from '../../src/server/config/settings/external.js';
import { openFakeProviders } from '../support/fake-providers/index.js';
import { beginSignIn, CODE_VERIFIER, endSignIn, findProvider, loadProviders } from '../support/sign-in.js';
import { t } from '../support/tap.js';

/** Providers that document PKCE for confidential clients. */
const knowPkce = [
  'azure',
  'discord',
  'figma',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'snapchat',
  'spotify',
  'workos',
  'x',
  'zoom',
] as const;

t.test('SEC-61: every provider that supports PKCE gets a challenge and its verifier', async (t) => {
  const fake = await openFakeProviders(t);
  const settings = Object.entries(fake.settings(providerNames)).map(([key, value]) => [`AUTH_${key}`, value]);
  const providers = await loadProviders(Object.fromEntries(settings));
  const challenge = createHash('sha256').update(CODE_VERIFIER).digest('base64url');
  const challenged: string[] = [];
  for (const name of providerNames) {
    const provider = await findProvider(providers, name);
    const { url, providerState } = await beginSignIn(provider);
    if (!url.searchParams.has('code_challenge')) continue;
    challenged.push(name);
    t.equal(url.searchParams.get('code_challenge'), challenge, name);
    t.equal(url.searchParams.get('code_challenge_method'), 'S256', name);
    const { fields } = await fake.signIn(url.href);
    t.ok('profile' in (await endSignIn(provider, fields, providerState)), name);
    const exchange = fake.requests.filter(({ provider, path }) => provider === name && path.endsWith('token')).at(-1);
    t.equal(exchange?.fields.get('code_verifier'), CODE_VERIFIER, name);
    // Bound to another verifier, as the code of another user is.
    url.searchParams.set('code_challenge', createHash('sha256').update('other').digest('base64url'));
    const stolen = await fake.signIn(url.href);
    await t.rejects(
      endSignIn(provider, stolen.fields, providerState),
      { message: /^Unable to exchange external code/ },
      `${name}: a code of another sign-in`,
    );
  }
  t.strictSame(challenged, [...knowPkce]);
});
