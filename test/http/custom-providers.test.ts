import { asAdmin } from '../support/admin.js';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { credentialsOf } from '../support/fake-providers/index.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('an OpenID Connect provider that an administrator adds: sign-up and sign-in', async (t) => {
  const flow = await openExternalFlow(t, ['keycloak', 'google'], { OUTBOUND_PRIVATE_HOSTS: '127.0.0.1' });
  const admin = asAdmin(flow);
  const { id, secret } = credentialsOf('google');
  const issuer = flow.providers.issuerOf('google');
  const created = await admin('POST', '/admin/custom-providers', {
    provider_type: 'oidc',
    identifier: 'custom:acme',
    name: 'Acme',
    client_id: id,
    client_secret: secret,
    scopes: ['email', 'profile'],
    issuer,
  });
  t.match(created, {
    status: 201,
    body: {
      identifier: 'custom:acme',
      scopes: ['openid', 'email', 'profile'],
      pkce_enabled: true,
      enabled: true,
      email_optional: false,
      skip_nonce_check: false,
      issuer,
      discovery_document: { issuer, jwks_uri: `${issuer}/oauth2/v3/certs` },
    },
  });
  t.notOk(JSON.stringify(created.body).includes(secret), 'the secret is not returned');
  t.notOk(Object.hasOwn(created.body, 'token_url'));

  const email = freshEmail();
  const as = flow.providers.person('google', { email, subject: 'acme-1' });
  const browser = flow.openBrowser();
  const { location } = await browser.leave('custom:acme', { scopes: 'email groups' });
  t.equal(new URL(location).searchParams.get('scope'), 'openid email groups');
  const landing = await browser.comeBack(await flow.providers.signIn(location, { as }));
  t.equal(landing.fragment.get('provider'), 'custom:acme', landing.location.href);
  const claims = claimsOf(landing.fragment.get('access_token'));
  t.match(claims, { email, app_metadata: { provider: 'custom:acme' } });

  t.equal((await admin('DELETE', '/admin/custom-providers/custom:acme')).status, 204);
  t.match(await admin('GET', '/admin/custom-providers/custom:acme'), {
    status: 404,
    body: { error_code: 'custom_provider_not_found' },
  });
});
