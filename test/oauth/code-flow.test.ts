/** The authorization code flow, with a client that others have written (oauth4webapi). */
import * as oauth from 'oauth4webapi';
import { consent, oauthSettings, REDIRECT_URI, signUpPerson } from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const insecure = { [oauth.allowInsecureRequests]: true };

t.test('oauth4webapi registers, signs in, verifies the ID token and refreshes', async (t) => {
  const server = await openTestServer(t, oauthSettings());
  const person = await signUpPerson(server);
  const issuer = new URL('http://localhost:9999');
  // The server listens elsewhere than its external URL says.
  const fetchHere: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return fetch(server.url + url.pathname + url.search, init);
  };
  const options = { ...insecure, [oauth.customFetch]: fetchHere as never };
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    const found = await oauth.discoveryRequest(issuer, { ...options, algorithm });
    t.equal(found.headers.get('cache-control'), 'public, max-age=600, stale-while-revalidate=60');
    t.equal((await oauth.processDiscoveryResponse(issuer, found)).issuer, 'http://localhost:9999');
  }
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));

  for (const method of ['none', 'client_secret_basic', 'client_secret_post'] as const) {
    const registered = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        as,
        { redirect_uris: [REDIRECT_URI], client_name: 'Example', token_endpoint_auth_method: method },
        options,
      ),
    );
    const secret = registered.client_secret as string;
    const authentication = {
      none: () => oauth.None(),
      client_secret_basic: () => oauth.ClientSecretBasic(secret),
      client_secret_post: () => oauth.ClientSecretPost(secret),
    }[method]();
    const client: oauth.Client = { client_id: registered.client_id };

    const [verifier, state, nonce] = [
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomState(),
      oauth.generateRandomNonce(),
    ];
    const asked = new URL(as.authorization_endpoint!);
    asked.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const sent = await fetchHere(asked, { redirect: 'manual' });
    t.equal(sent.status, 302);
    const page = new URL(sent.headers.get('location')!);
    t.equal(page.origin + page.pathname, 'http://localhost:3000/oauth/consent');
    const back = await consent(server, person, page);
    t.equal(back.searchParams.get('iss'), 'http://localhost:9999', 'RFC 9207');

    const parameters = oauth.validateAuthResponse(as, client, back, state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        parameters,
        REDIRECT_URI,
        verifier,
        options,
      ),
      { expectedNonce: nonce, requireIdToken: true },
    );
    const claims = oauth.getValidatedIdTokenClaims(tokens)!;
    t.match(claims, {
      sub: person.id,
      aud: client.client_id,
      email: person.email,
      nonce,
      acr: 'aal1',
      amr: ['password'],
    });
    t.type(claims['sid'], 'string');

    const userinfo = await oauth.processUserInfoResponse(
      as,
      client,
      person.id,
      await oauth.userInfoRequest(as, client, tokens.access_token, options),
    );
    t.match(userinfo, { sub: person.id, email: person.email, email_verified: true, user_metadata: {} });

    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token!, options),
    );
    t.not(refreshed.refresh_token, tokens.refresh_token);
    t.notOk(refreshed.id_token);
  }
});
