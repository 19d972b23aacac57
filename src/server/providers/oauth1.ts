/** A provider of OAuth 1.0a (RFC 5849): a request token before the redirect, an access token after it. */
import { randomBytes } from 'node:crypto';
import { apiError } from '../errors.js';
import { type Calls, openCalls } from './calls.js';
import { ProviderFault, parseProfile } from './claims.js';
import type { ExternalProvider, OAuth1Spec, WatchedHop } from './contract.js';
import { makeAuthorization, type Pairs } from './oauth1-signature.js';
import { grantOf, type ProviderParts, readProfileSafely } from './oauth2-provider.js';

type What = Extract<WatchedHop['kind'], 'request_token' | 'token' | 'profile_call'>;

interface Token {
  readonly token: string;
  readonly secret: string;
}

export function openOAuth1Provider(spec: OAuth1Spec, parts: ProviderParts): ExternalProvider {
  const { settings, clientId, url, budgetSeconds } = parts;
  const endpoints = spec.endpoints(url);

  /** Sends a signed GET and returns the body of a 2xx response. */
  async function get(calls: Calls, what: What, address: string, tokenSecret: string, more: Pairs): Promise<string> {
    const pairs: Pairs = [
      ['oauth_consumer_key', clientId],
      ['oauth_nonce', randomBytes(16).toString('hex')],
      ['oauth_signature_method', 'HMAC-SHA1'],
      ['oauth_timestamp', String(Math.floor(Date.now() / 1000))],
      ['oauth_version', '1.0'],
      ...more,
    ];
    const secrets = { clientSecret: settings.secret, tokenSecret };
    const headers = { Authorization: makeAuthorization('GET', address, pairs, secrets) };
    calls.watch?.hide(settings.secret, tokenSecret);
    const { status, text } = await calls.call({ url: address, headers }, { kind: what });
    if (status < 200 || status > 299) throw new ProviderFault(`answered with status ${status}`);
    return text;
  }

  return {
    name: settings.name,
    isEmailOptional: settings.emailOptional,
    async authorizationUrl({ state, watch }) {
      // OAuth 1.0a has no state parameter, so the state is part of the callback URL.
      const { redirectUri } = settings;
      const mark = redirectUri.includes('?') ? '&' : '?';
      const callback = `${redirectUri}${mark}${new URLSearchParams({ state })}`;
      try {
        const calls = openCalls(budgetSeconds, undefined, watch);
        const answer = await get(calls, 'request_token', endpoints.requestToken, '', [['oauth_callback', callback]]);
        const { token, secret } = readToken(answer);
        return {
          url: `${endpoints.authenticate}?${new URLSearchParams({ oauth_token: token })}`,
          providerState: { requestToken: token, requestTokenSecret: secret },
        };
      } catch (cause) {
        throw apiError('requestTokenFailed', {}, { cause });
      }
    },
    async readAnswer({ parameters, providerState, watch }) {
      if (parameters.has('denied')) return { refused: { error: 'access_denied', description: '' } };
      const calls = openCalls(budgetSeconds, undefined, watch);
      const access = await exchange(calls).catch((cause: unknown) => {
        throw apiError('accessTokenFailed', {}, { cause });
      });
      const json = await get(calls, 'profile_call', endpoints.profile, access.secret, [['oauth_token', access.token]])
        .then(parseProfile)
        .catch((cause: unknown) => {
          throw apiError('providerEmailMissing', {}, { cause });
        });
      const profile = await readProfileSafely(() => spec.readProfile(json, url));
      return grantOf({ access_token: access.token }, profile, settings);

      async function exchange(calls: Calls): Promise<Token> {
        const token = parameters.get('oauth_token') ?? '';
        const verifier = parameters.get('oauth_verifier') ?? '';
        // Another token than the one this sign-in began with (RFC 5849 4.14).
        if (token === '' || verifier === '' || token !== providerState?.['requestToken']) {
          throw new ProviderFault('the callback does not fit the request token');
        }
        watch?.hide(token, verifier);
        const answer = await get(calls, 'token', endpoints.accessToken, providerState['requestTokenSecret'] ?? '', [
          ['oauth_token', token],
          ['oauth_verifier', verifier],
        ]);
        return readToken(answer);
      }
    },
  };
}

/** RFC 5849 2.1 and 2.3: form-encoded, whatever the content type. */
function readToken(text: string): Token {
  const fields = new URLSearchParams(text);
  const [token, secret] = [fields.get('oauth_token') ?? '', fields.get('oauth_token_secret') ?? ''];
  if (token === '' || secret === '') throw new ProviderFault('answered without a token and its secret');
  return { token, secret };
}
