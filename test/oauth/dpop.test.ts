/** Tokens that are bound to a key (RFC 9449), with the client of others: openid-client. */
import * as oidc from 'openid-client';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import { decideOnPages, openHostedServer, signUpOnPages } from '../support/hosted-server.js';
import { REDIRECT_URI } from '../support/oauth-client.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const checks = { pkceCodeVerifier: oidc.randomPKCECodeVerifier(), expectedState: oidc.randomState() };
const options: oidc.DiscoveryRequestOptions = { execute: [oidc.allowInsecureRequests] };

for (const nonceRequired of ['false', 'true']) {
  const settings = { OAUTH_SERVER_DPOP_NONCE_REQUIRED: nonceRequired, OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true' };
  const server = await openHostedServer(t, settings);
  const admin = asAdmin(server);

  async function open(method: 'none' | 'client_secret_basic', more: Record<string, unknown> = {}) {
    const { body } = await admin('POST', '/admin/oauth/clients', {
      client_name: 'Notes',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: method,
      ...more,
    });
    const authentication = method === 'none' ? oidc.None() : oidc.ClientSecretBasic(body.client_secret);
    const config = await oidc.discovery(new URL(server.issuer), body.client_id, {}, authentication, options);
    return { config, id: body.client_id as string, client: body };
  }

  async function authorize(config: oidc.Configuration, more: Record<string, string> = {}) {
    const address = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid email',
      state: checks.expectedState,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...more,
    });
    const browser = server.openBrowser();
    await browser.open(address.href);
    await signUpOnPages(browser, freshEmail());
    return decideOnPages(browser);
  }

  for (const method of ['none', 'client_secret_basic'] as const) {
    for (const algorithm of ['ES256', 'PS256', 'Ed25519'] as const) {
      t.test(`code, userinfo, refresh: ${method}, ${algorithm}, nonce required: ${nonceRequired}`, async (t) => {
        const { config, id, client } = await open(method, { dpop_bound_access_tokens: true });
        t.equal(client['dpop_bound_access_tokens'], true);
        t.ok(config.serverMetadata().dpop_signing_alg_values_supported?.includes(algorithm));
        const key = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(algorithm));
        const back = await authorize(config, { dpop_jkt: await key.calculateThumbprint() });
        const tokens = await oidc.authorizationCodeGrant(config, back, checks, undefined, { DPoP: key });
        t.equal(tokens.token_type, 'dpop', 'as the library spells it');
        const claims = claimsOf(tokens.access_token);
        t.match(claims, { client_id: id, cnf: { jkt: await key.calculateThumbprint() } });
        const sub = claims['sub'] as string;
        t.match(await oidc.fetchUserInfo(config, tokens.access_token, sub, { DPoP: key }), { sub });
        const user = await oidc.fetchProtectedResource(
          config,
          tokens.access_token,
          new URL(`${server.issuer}/user`),
          'GET',
          undefined,
          undefined,
          { DPoP: key },
        );
        t.equal(((await user.json()) as { id: string }).id, sub, 'GET /user');

        const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP: key });
        t.match(claimsOf(renewed.access_token), { cnf: { jkt: await key.calculateThumbprint() } });
        t.match(await oidc.fetchUserInfo(config, renewed.access_token, sub, { DPoP: key }), { sub });

        if (method === 'none') return;
        const seen = await oidc.tokenIntrospection(config, renewed.access_token);
        t.match(seen, { active: true, token_type: 'DPoP', cnf: { jkt: await key.calculateThumbprint() } });
        // A client with a secret may change its key (RFC 9449 5).
        const next = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256'));
        const changed = await oidc.refreshTokenGrant(config, renewed.refresh_token!, undefined, { DPoP: next });
        t.match(claimsOf(changed.access_token), { cnf: { jkt: await next.calculateThumbprint() } });
        t.match(await oidc.fetchUserInfo(config, changed.access_token, sub, { DPoP: next }), { sub });
      });
    }
  }

  t.test(`a token for the client itself, nonce required: ${nonceRequired}`, async (t) => {
    const { config } = await open('client_secret_basic', { grant_types: ['client_credentials'] });
    const key = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair());
    const tokens = await oidc.clientCredentialsGrant(config, {}, { DPoP: key });
    t.match(claimsOf(tokens.access_token), { cnf: { jkt: await key.calculateThumbprint() } });
    t.match(await oidc.tokenIntrospection(config, tokens.access_token), { active: true, token_type: 'DPoP' });
    const plain = await oidc.clientCredentialsGrant(config);
    t.notOk(claimsOf(plain.access_token)['cnf']);
    t.match(await oidc.tokenIntrospection(config, plain.access_token), { active: true, token_type: 'Bearer' });
  });
}
