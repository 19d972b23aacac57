import { ConfigError } from '../../src/server/config/load.js';
import { makeDiscovery } from '../support/id-tokens.js';
import { startIssuer } from '../support/issuer.js';
import { beginSignIn, endSignIn, findProvider, loadProviders, providerConfig } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const environment = (issuer: string, more: Record<string, string> = {}) => ({
  AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER: issuer,
  AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_CLIENT_ID: 'cid,mobile',
  AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_SECRET: 'the-secret',
  ...more,
});

t.test('custom: any issuer, by its discovery document', async (t) => {
  const it = await startIssuer(t, '/realm');
  const providers = await loadProviders(
    environment(it.issuer, { AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_SCOPES: 'email,groups' }),
  );
  t.equal(providers.switches['custom:our-login'], true);
  const custom = await findProvider(providers, 'Custom:Our-Login');
  t.equal(custom.name, 'custom:our-login');
  const { url } = await beginSignIn(custom);
  t.equal(url.searchParams.get('scope'), 'openid email groups');
  t.equal(url.searchParams.get('redirect_uri'), 'http://localhost:9999/callback');

  it.claims = {
    sub: 'cu1',
    name: 'Cu S',
    email: 'cu@example.com',
    email_verified: true,
    updated_at: 1700000000,
    picture: 7,
    provider_id: 'forged',
    groups: ['a'],
  };
  const { profile } = (await endSignIn(custom)) as { profile: { claims: Record<string, unknown> } };
  const { iat, exp, ...rest } = profile.claims;
  t.type(iat, 'number');
  t.type(exp, 'number');
  t.match(profile, { subject: 'cu1', addresses: [{ email: 'cu@example.com', isVerified: true, isPrimary: true }] });
  t.same(rest, { iss: it.issuer, sub: 'cu1', aud: ['cid'], name: 'Cu S', updated_at: 1700000000, provider_id: 'cu1' });
});

t.test('custom: an issuer that ends in slashes, which its document has, too', async (t) => {
  const it = await startIssuer(t, '/realm');
  const path = '/realm/.well-known/openid-configuration';
  for (const end of ['/', '//']) {
    const issuer = `${it.issuer}${end}`;
    it.server.answers.set(path, { body: { ...makeDiscovery(it.issuer), issuer } });
    it.claims = { iss: issuer, email: 'cu@example.com' };
    const custom = await findProvider(await loadProviders(environment(issuer)), 'custom:our-login');
    t.match(await endSignIn(custom), { profile: { claims: { iss: issuer } } }, issuer);
    it.claims = { iss: it.issuer, email: 'cu@example.com' };
    await t.rejects(endSignIn(custom), { message: /getting user profile/ }, 'another issuer');
  }
});

t.test('custom: users without an address, if permitted', async (t) => {
  const it = await startIssuer(t);
  const strict = await findProvider(await loadProviders(environment(it.issuer)), 'custom:our-login');
  await t.rejects(endSignIn(strict), { message: /user email/ });
  const optional = { AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_EMAIL_OPTIONAL: 'true' };
  const lenient = await findProvider(await loadProviders(environment(it.issuer, optional)), 'custom:our-login');
  t.match(await endSignIn(lenient), { profile: { subject: 'subject-1', addresses: [] } });
});

t.test('custom: settings are read under the names of their providers, and faults name them', async (t) => {
  const { customProviders } = providerConfig({
    ...environment('https://login.example.com'),
    AUTH_EXTERNAL_CUSTOM_B2_ISSUER: 'https://b2.example.com/',
    GOTRUE_EXTERNAL_CUSTOM_B2_CLIENT_ID: 'b2',
    AUTH_EXTERNAL_CUSTOM_B2_SECRET: 's',
    AUTH_EXTERNAL_CUSTOM_B2_ENABLED: 'false',
  });
  t.same(Object.keys(customProviders), ['b2', 'our-login']);
  t.match(customProviders['our-login'], { enabled: true, scopes: ['openid', 'email', 'profile'] });
  t.match(customProviders['b2'], { enabled: false, issuer: 'https://b2.example.com/', clientIds: ['b2'] });
  t.same(providerConfig({}).customProviders, {});

  const faultsOf = (environment: Record<string, string>): unknown => {
    try {
      providerConfig(environment);
    } catch (error) {
      return error instanceof ConfigError
        ? error.faults.map(({ variable, problem }) => `${variable} ${problem}`)
        : error;
    }
    return [];
  };
  t.same(faultsOf({ AUTH_EXTERNAL_CUSTOM_ACME_CLIENT_ID: 'a', AUTH_EXTERNAL_CUSTOM_ACME_ENABLED: 'on' }), [
    'AUTH_EXTERNAL_CUSTOM_ACME_ISSUER is missing',
    'AUTH_EXTERNAL_CUSTOM_ACME_SECRET is missing',
    'AUTH_EXTERNAL_CUSTOM_ACME_ENABLED must be true or false (1, t, true, 0, f and false are understood; yes and on are not)',
  ]);
});
