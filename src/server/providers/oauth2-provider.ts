/** A provider of plain OAuth 2.0: the profile is fetched with the access token. */
import { apiError } from '../errors.js';
import { buildAuthorizationUrl } from './authorization-url.js';
import { type Calls, openCalls } from './calls.js';
import { MissingSubject, ProviderFault, parseProfile } from './claims.js';
import type {
  CallbackAnswer,
  ExternalGrant,
  ExternalProfile,
  ExternalProvider,
  OAuth2Spec,
  ProfileReader,
  ProviderDenial,
  ProviderParts,
  ProviderSettings,
  TokenAnswer,
} from './contract.js';
import { exchangeCode } from './oauth2.js';

export type { ProviderParts } from './contract.js';

export function openOAuth2Provider(spec: OAuth2Spec, parts: ProviderParts): ExternalProvider {
  const { settings, clientId, url, budgetSeconds, privateHosts } = parts;
  const endpoints = spec.endpoints(url);
  return {
    name: settings.name,
    isEmailOptional: settings.emailOptional,
    async authorizationUrl(request) {
      const { redirectUri } = settings;
      const { scopes, ignoresScopes, replacesScopes, usesPkce, authorizationParameters: parameters } = spec;
      const rules = { scopes, ignoresScopes, replacesScopes, usesPkce, parameters };
      const own = { endpoint: endpoints.authorization, clientId, redirectUri, ...rules };
      return { url: buildAuthorizationUrl({ ...own, usesNonce: false }, request).url, providerState: null };
    },
    async readAnswer(answer) {
      const code = readCode(answer);
      if (typeof code !== 'string') return code;
      const calls = openCalls(budgetSeconds, privateHosts, answer.watch);
      const token = await exchangeCode(calls, {
        tokenEndpoint: endpoints.token,
        clientId,
        clientSecret: settings.secret,
        redirectUri: settings.redirectUri,
        code,
        codeVerifier: spec.usesPkce ? answer.codeVerifier : null,
        authenticateBy: spec.authenticatesBy,
      });
      const getJson = makeGetJson(calls, token);
      const reader: ProfileReader = { settings, clientId, endpoints, token, parameters: answer.parameters, getJson };
      return grantOf(token, await readProfileSafely(() => spec.readProfile(reader)), settings);
    },
  };
}

/**
 * @returns the code, or the error of the provider, cut to what a URL can contain
 * @throws ApiError callbackCodeMissing
 */
export function readCode({ parameters }: CallbackAnswer): string | ProviderDenial {
  const error = parameters.get('error') ?? '';
  const description = parameters.get('error_description') ?? '';
  if (error !== '') return { refused: { error: error.slice(0, 128), description: description.slice(0, 1024) } };
  const code = parameters.get('code') ?? '';
  if (code === '') throw apiError('callbackCodeMissing');
  return code;
}

/** See {@link ProfileReader.getJson}. */
export function makeGetJson(calls: Calls, token: TokenAnswer): ProfileReader['getJson'] {
  return async (url, headers = {}) => {
    const request = {
      url,
      headers: { Accept: 'application/json', ...headers, Authorization: `Bearer ${token.access_token}` },
    };
    const { status, text } = await calls.call(request, { kind: 'profile_call' });
    if (status < 200 || status > 299) throw new ProviderFault(`the profile was answered with status ${status}`);
    const json = parseProfile(text);
    if (typeof json !== 'object' || json === null) throw new ProviderFault('the profile is not a JSON object');
    return json;
  };
}

/**
 * @returns what `read` returns
 * @throws ApiError providerSubjectMissing, providerProfileFailed
 */
export async function readProfileSafely<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw apiError(cause instanceof MissingSubject ? 'providerSubjectMissing' : 'providerProfileFailed', {}, { cause });
  }
}

/**
 * Combines token response and profile.
 * @throws ApiError providerSubjectMissing, providerEmailMissing
 */
export function grantOf(token: TokenAnswer, profile: ExternalProfile, settings: ProviderSettings): ExternalGrant {
  if (profile.subject === '') throw apiError('providerSubjectMissing');
  const addresses = profile.addresses.filter(({ email }) => email !== '');
  if (addresses.length === 0 && !settings.emailOptional) throw apiError('providerEmailMissing');
  const refreshToken = token['refresh_token'];
  return {
    profile: { ...profile, addresses },
    accessToken: token.access_token,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : null,
  };
}
