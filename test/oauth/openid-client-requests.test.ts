/** openid-client as a device, and as a client that pushes its requests. */
import * as oidc from 'openid-client';
import { asAdmin } from '../support/admin.js';
import { decideOnPages, type HostedServer, openHostedServer, signUpOnPages } from '../support/hosted-server.js';
import { REDIRECT_URI } from '../support/oauth-client.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const options: oidc.DiscoveryRequestOptions = {
  execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
};
const server = await openHostedServer(t, { OAUTH_SERVER_DEVICE_INTERVAL: '1s' });

/** A client by discovery, added by an administrator: with a secret, or without. */
async function findClient(on: HostedServer, fields: object) {
  const { body } = await asAdmin(on)('POST', '/admin/oauth/clients', { client_name: 'Living room', ...fields });
  const secret: string | undefined = body.client_secret;
  const authentication = secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret);
  return oidc.discovery(new URL(on.issuer), body.client_id, undefined, authentication, options);
}

const device = { token_endpoint_auth_method: 'none', grant_types: [DEVICE_GRANT, 'refresh_token'] };
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    ({ error, message }: { error?: string; message: string }) => error ?? message,
  );

/** A person with the code of a device, without scripts. */
async function decide(code: string, action: 'approve' | 'deny') {
  const browser = await server.openBrowser().open('/ui/device');
  await browser.send(browser.form('/ui/device'), { code, action: 'code' });
  const email = freshEmail();
  await signUpOnPages(browser, email);
  await browser.send(browser.form('/ui/device'), { action });
  return email;
}

t.test('a device polls until its user has allowed it, then refreshes', async (t) => {
  const config = await findClient(server, device);
  const begun = await oidc.initiateDeviceAuthorization(config, { scope: 'openid email' });
  t.equal(begun.verification_uri, `${server.issuer}/ui/device`);
  const polled = oidc.pollDeviceAuthorizationGrant(config, begun);
  const email = await decide(begun.user_code, 'approve');
  const tokens = await polled;
  const claims = tokens.claims()!;
  t.match(claims, { iss: server.issuer, email, amr: ['password'] });
  t.match(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub), { email });
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
  t.match(await oidc.fetchUserInfo(config, renewed.access_token, claims.sub), { email });
});

t.test('a device learns that its user has said no, and that time is over', async (t) => {
  const config = await findClient(server, device);
  const begun = await oidc.initiateDeviceAuthorization(config, {});
  const polled = errorOf(oidc.pollDeviceAuthorizationGrant(config, begun));
  await decide(begun.user_code, 'deny');
  t.equal(await polled, 'access_denied');
  const late = await oidc.initiateDeviceAuthorization(config, {});
  await server.database.admin.query("update oauth_authorizations set created_at = now() - interval '901 seconds'");
  t.equal(await errorOf(oidc.pollDeviceAuthorizationGrant(config, late)), 'expired_token');
});

t.test('a request that is pushed, by a client with a secret and by one without', async (t) => {
  const strict = await openHostedServer(t, { OAUTH_SERVER_REQUIRE_PAR: 'true' });
  for (const method of ['client_secret_basic', 'none']) {
    const fields = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: method };
    const config = await findClient(strict, fields);
    t.match(config.serverMetadata(), { require_pushed_authorization_requests: true });
    const checks = {
      pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
      expectedState: oidc.randomState(),
      expectedNonce: oidc.randomNonce(),
      idTokenExpected: true,
    };
    const parameters = {
      redirect_uri: REDIRECT_URI,
      scope: 'openid email',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    const address = await oidc.buildAuthorizationUrlWithPAR(config, parameters);
    t.same([...address.searchParams.keys()].sort(), ['client_id', 'request_uri'], 'the browser gets nothing else');
    const browser = await strict.openBrowser().open(address.href);
    const email = freshEmail();
    await signUpOnPages(browser, email);
    const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), checks);
    t.match(tokens.claims(), { email }, method);
    const again = await strict.openBrowser().open(address.href);
    t.equal(again.status, 400, 'the address works once');
    const refused = oidc.buildAuthorizationUrlWithPAR(config, { ...parameters, scope: 'all' });
    t.equal(await errorOf(refused), 'invalid_scope');
  }
});
