/** openid-client as relying party, and people on the hosted pages. */
import * as oidc from 'openid-client';
import { asAdmin } from '../support/admin.js';
import { enrolTotp, openApp, type Session, verifyWith } from '../support/authenticator-app.js';
import { decideOnPages, openHostedServer, signInOnPages, signUpOnPages } from '../support/hosted-server.js';
import { REDIRECT_URI } from '../support/oauth-client.js';
import type { PageBrowser } from '../support/page-browser.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openHostedServer(t);
const options: oidc.DiscoveryRequestOptions = {
  // The signatures of ID tokens, too, by the published keys.
  execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
};
const checks = {
  pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
  expectedState: oidc.randomState(),
  expectedNonce: oidc.randomNonce(),
  idTokenExpected: true,
};

/** The code of an OAuth error, else what the library says. */
const errorOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    ({ error, cause, message }: { error?: string; cause?: Error; message: string }) =>
      error ?? cause?.message ?? message,
  );

/** A client by discovery, added by an administrator. */
async function findClient(method: 'none' | 'client_secret_basic' | 'client_secret_post' = 'none') {
  const { body } = await asAdmin(server)('POST', '/admin/oauth/clients', {
    client_name: 'Notes',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: method,
  });
  const authentication = {
    none: oidc.None,
    client_secret_basic: oidc.ClientSecretBasic,
    client_secret_post: oidc.ClientSecretPost,
  }[method];
  const issuer = new URL(server.issuer);
  return oidc.discovery(issuer, body.client_id, { client_secret: body.client_secret }, authentication(), options);
}

/** The browser comes to the first page of a new request. */
async function begin(
  config: oidc.Configuration,
  browser: PageBrowser,
  more: Readonly<Record<string, string>> = {},
): Promise<PageBrowser> {
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid email profile',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  });
  return browser.open(address.href);
}

for (const method of ['none', 'client_secret_basic', 'client_secret_post'] as const) {
  t.test(`sign-up on the pages, tokens, userinfo and refresh: ${method}`, async (t) => {
    const config = await findClient(method);
    t.ok(config.serverMetadata().supportsPKCE());
    const [browser, email] = [server.openBrowser(), freshEmail()];
    await begin(config, browser);
    await signUpOnPages(browser, email);
    const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), checks);
    const claims = tokens.claims()!;
    t.match(claims, { iss: server.issuer, email, acr: 'aal1', amr: ['password'] });
    t.equal(tokens.expires_in, 3600);
    t.match(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub), { sub: claims.sub, email });
    await t.rejects(oidc.fetchUserInfo(config, tokens.access_token, 'another person'), 'the subject is compared');

    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!);
    t.not(renewed.refresh_token, tokens.refresh_token);
    t.match(await oidc.fetchUserInfo(config, renewed.access_token, claims.sub), { email });
    const narrow = await oidc.refreshTokenGrant(config, renewed.refresh_token!, { scope: 'openid' });
    t.strictSame(await oidc.fetchUserInfo(config, narrow.access_token, claims.sub), { sub: claims.sub });
  });
}

t.test('the client registers itself', async (t) => {
  const metadata = { redirect_uris: [REDIRECT_URI], client_name: 'Itself' };
  const config = await oidc.dynamicClientRegistration(
    new URL(server.issuer),
    metadata,
    oidc.ClientSecretBasic(),
    options,
  );
  const browser = await begin(config, server.openBrowser());
  await signUpOnPages(browser, freshEmail());
  t.match(browser.html, 'registered itself');
  const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), checks);
  t.equal(tokens.claims()!.aud, config.clientMetadata().client_id);
});

t.test('what the client refuses: a foreign issuer, state, nonce, verifier and another client’s answer', async (t) => {
  const [config, other] = [await findClient(), await findClient()];
  const browser = server.openBrowser();
  await begin(config, browser);
  await signUpOnPages(browser, freshEmail());
  const back = await decideOnPages(browser);
  const changed = (name: string, value: string | null) => {
    const url = new URL(back);
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    return oidc.authorizationCodeGrant(config, url, checks);
  };
  t.match(await errorOf(changed('iss', 'https://evil.example')), /"iss"/, 'mix-up');
  t.match(await errorOf(changed('iss', null)), /"iss"/, 'the metadata promise it');
  t.match(await errorOf(changed('state', 'x')), /"state"/);
  const verifier = { ...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
  t.equal(await errorOf(oidc.authorizationCodeGrant(config, back, verifier)), 'invalid_grant');
  t.equal(await errorOf(oidc.authorizationCodeGrant(other, back, checks)), 'invalid_grant');
  const tokens = await oidc.authorizationCodeGrant(config, back, checks);
  t.equal(await errorOf(oidc.authorizationCodeGrant(config, back, checks)), 'invalid_grant', 'a code works once');
  t.equal(
    await errorOf(oidc.refreshTokenGrant(config, tokens.refresh_token!)),
    'invalid_grant',
    'its replay has ended the session',
  );

  await begin(config, browser, { nonce: 'planted' });
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  t.match(await errorOf(oidc.authorizationCodeGrant(config, new URL(browser.onward), checks)), /"nonce"/);
});

t.test('introspection and revocation', async (t) => {
  const config = await findClient('client_secret_basic');
  const browser = await begin(config, server.openBrowser());
  await signUpOnPages(browser, freshEmail());
  const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), checks);
  const seen = await oidc.tokenIntrospection(config, tokens.access_token);
  t.match(seen, { active: true, sub: tokens.claims()!.sub, client_id: config.clientMetadata().client_id });
  const stranger = await findClient('client_secret_post');
  t.strictSame(await oidc.tokenIntrospection(stranger, tokens.access_token), { active: false }, 'of another client');
  await oidc.tokenRevocation(stranger, tokens.refresh_token!);
  t.match(await oidc.tokenIntrospection(config, tokens.refresh_token!), { active: true }, 'nor can it be revoked');
  await oidc.tokenRevocation(config, tokens.refresh_token!);
  for (const token of [tokens.refresh_token!, tokens.access_token])
    t.strictSame(await oidc.tokenIntrospection(config, token), { active: false });
  t.equal(await errorOf(oidc.refreshTokenGrant(config, tokens.refresh_token!)), 'invalid_grant');
});

t.test('the person says no', async (t) => {
  const config = await findClient();
  const browser = await begin(config, server.openBrowser());
  await signUpOnPages(browser, freshEmail());
  const back = await decideOnPages(browser, 'deny');
  t.equal(back.searchParams.get('error_description'), 'User denied the request');
  t.equal(await errorOf(oidc.authorizationCodeGrant(config, back, checks)), 'access_denied');
});

t.test('max_age, prompt=login and prompt=none', async (t) => {
  const [config, email] = [await findClient(), freshEmail()];
  const browser = await begin(config, server.openBrowser());
  await signUpOnPages(browser, email);
  const first = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), { ...checks, maxAge: 60 });
  const age = () =>
    server.database.admin.query("update sessions set created_at = created_at - interval '1 hour' where user_id = $1", [
      first.claims()!.sub,
    ]);
  await age();
  // The remembered consent answers at once, with a sign-in that is an hour old.
  await begin(config, browser);
  await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
  const old = new URL(browser.onward);
  t.match(
    await errorOf(oidc.authorizationCodeGrant(config, old, { ...checks, maxAge: 60 })),
    /too much time has elapsed/,
  );
  for (const more of [{ max_age: '60' }, { prompt: 'login' }]) {
    await begin(config, browser, more);
    await browser.send(browser.form('/ui/sign-in'), { action: 'choose' });
    await signInOnPages(browser, email);
    const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), { ...checks, maxAge: 60 });
    t.ok(Date.now() / 1000 - (tokens.claims()!['auth_time'] as number) < 60, JSON.stringify(more));
    await age();
  }
  await begin(config, browser, { prompt: 'none' });
  const silent = oidc.authorizationCodeGrant(config, new URL(browser.url), checks);
  t.equal(await errorOf(silent), 'login_required');
});

t.test('a second factor: the ID token says so', async (t) => {
  const config = await findClient();
  const email = freshEmail();
  const session = (await server.post('/signup', { email, password })).body as Session;
  const { id, secret } = await enrolTotp(server, session);
  const app = openApp(secret);
  await verifyWith(server, session, id, app.nextCode());
  const browser = await begin(config, server.openBrowser());
  await signInOnPages(browser, email);
  t.equal(new URL(browser.url).pathname, '/ui/mfa');
  await browser.send(browser.form('/ui/mfa'), { code: app.nextCode(), action: 'verify' });
  const tokens = await oidc.authorizationCodeGrant(config, await decideOnPages(browser), checks);
  t.match(tokens.claims(), { acr: 'aal2' });
  t.ok((tokens.claims()!['amr'] as string[]).includes('totp'));
});
