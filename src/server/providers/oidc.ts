/** A provider of OpenID Connect: the profile is the ID token that comes with the access token (Core 3.1). */
import { type ApiError, apiError } from '../errors.js';
import { buildAuthorizationUrl } from './authorization-url.js';
import { type Calls, openCalls } from './calls.js';
import { audiencesOf, ProviderFault } from './claims.js';
import type {
  CallbackAnswer,
  ExternalProfile,
  ExternalProvider,
  IdTokenClaims,
  OidcSpec,
  ProviderParts,
  TokenAnswer,
  Watch,
} from './contract.js';
import { describeToken } from './describe-token.js';
import { type Discovery, findDocument, type IssuerDocument, isOwnIssuer } from './discovery.js';
import { isSame, matchesAccessToken, verifyToken } from './id-token.js';
import { exchangeCode } from './oauth2.js';
import { grantOf, makeGetJson, readCode, readProfileSafely } from './oauth2-provider.js';
import { watchStep } from './watch.js';

export function openOidcProvider(spec: OidcSpec, parts: ProviderParts, discovery: Discovery): ExternalProvider {
  const { settings, url, clientId, budgetSeconds, privateHosts } = parts;
  const { redirectUri } = settings;
  const readSecret = spec.openSecret?.(settings) ?? (async () => settings.secret);

  async function findEndpoints(calls: Calls) {
    const find = () => calls.wait(findDocument(discovery, spec.idTokens, url));
    const document = await watchStep(calls.watch, 'discovery', find, (found) => ({
      issuer: found?.issuer ?? spec.idTokens.issuer(url),
      authorization_endpoint: found?.authorizationEndpoint,
      token_endpoint: found?.tokenEndpoint,
      userinfo_endpoint: found?.userinfoEndpoint,
      jwks_uri: found?.jwksUri,
    }));
    const { authorizationEndpoint } = document;
    const tokenEndpoint = spec.tokenEndpoint?.(url) ?? document.tokenEndpoint;
    if (authorizationEndpoint === null || tokenEndpoint === null) {
      throw new ProviderFault('the discovery document names no authorization_endpoint or no token_endpoint');
    }
    return { document, authorizationEndpoint, tokenEndpoint };
  }

  async function findAuthorizationEndpoint(watch: Watch | undefined): Promise<string> {
    const calls = openCalls(budgetSeconds, privateHosts, watch);
    const { authorizationEndpoint } = await findEndpoints(calls).catch((cause) => {
      throw apiError('providerUnavailable', {}, { cause });
    });
    return authorizationEndpoint;
  }

  async function readProfile(
    calls: Calls,
    document: IssuerDocument,
    token: TokenAnswer,
    answer: CallbackAnswer,
  ): Promise<ExternalProfile> {
    const idToken = token['id_token'];
    if (typeof idToken === 'string' && idToken !== '') {
      const nonce = answer.providerState?.['nonce'] ?? answer.nonce;
      const verify = () => calls.wait(verifyOwnToken(spec, parts, document, { idToken, token, nonce }));
      const verified = await watchStep(calls.watch, 'id_token', verify, () => describeToken(idToken, nonce));
      const claims = spec.needsUserinfo?.(verified) ? await addUserinfo(calls, document, token, verified) : verified;
      return spec.idTokens.readClaims(claims, document.issuer, url);
    }
    if (spec.readProfile === undefined) throw new ProviderFault('the token endpoint sent no ID token');
    const endpoints = {
      authorization: document.authorizationEndpoint ?? '',
      token: document.tokenEndpoint ?? '',
      api: document.userinfoEndpoint ?? '',
    };
    const getJson = makeGetJson(calls, token);
    return spec.readProfile({ settings, clientId, endpoints, token, parameters: answer.parameters, getJson });
  }

  return {
    name: settings.name,
    isEmailOptional: settings.emailOptional,
    async authorizationUrl(request) {
      const endpoint = spec.authorizationEndpoint?.(url) ?? (await findAuthorizationEndpoint(request.watch));
      const { scopes, ignoresScopes, replacesScopes, ignoresPassthrough, usesPkce } = spec;
      const rules = { scopes, ignoresScopes, replacesScopes, ignoresPassthrough, usesPkce };
      const own = { endpoint, clientId, redirectUri, ...rules, parameters: spec.authorizationParameters };
      const built = buildAuthorizationUrl({ ...own, usesNonce: spec.sendsNonce !== false }, request);
      const isOwn = built.nonce === request.nonce || built.nonce === '';
      return { url: built.url, providerState: isOwn ? null : { nonce: built.nonce } };
    },
    async readAnswer(answer) {
      const code = readCode(answer);
      if (typeof code !== 'string') return code;
      const calls = openCalls(budgetSeconds, privateHosts, answer.watch);
      const failed = (cause: unknown): ApiError =>
        apiError('codeExchangeFailed', { code: code.slice(0, 4) }, { cause });
      const { document, tokenEndpoint } = await findEndpoints(calls).catch((cause) => {
        throw failed(cause);
      });
      const token = await exchangeCode(calls, {
        tokenEndpoint,
        issuer: { expected: document.issuer, received: answer.parameters.get('iss') ?? '' },
        clientId,
        clientSecret: await readSecret().catch((cause) => {
          throw failed(cause);
        }),
        redirectUri,
        code,
        codeVerifier: spec.usesPkce ? answer.codeVerifier : null,
        authenticateBy: clientAuthMethods(document),
      });
      const profile = await readProfileSafely(async () => {
        const read = await readProfile(calls, document, token, answer);
        return spec.complete?.(read, answer.parameters) ?? read;
      });
      return grantOf(token, profile, settings);
    },
  };
}

/** The checks of Core 3.1.3.7 on a token that came from the token endpoint. */
async function verifyOwnToken(
  { idTokens, sendsNonce }: OidcSpec,
  { url, clientId }: ProviderParts,
  document: IssuerDocument,
  { idToken, token, nonce }: { idToken: string; token: TokenAnswer; nonce: string },
): Promise<IdTokenClaims> {
  const verified = await verifyToken(idToken, document, (claims) =>
    isOwnIssuer(idTokens, claims, document.issuer, url),
  );
  const { claims } = verified;
  if (!audiencesOf(claims).includes(clientId)) throw new ProviderFault('the ID token is for another client');
  const given = claims['nonce'];
  const needsNonce = sendsNonce !== false || given !== undefined;
  // A nonce was sent, so a token without one does not belong to this sign-in (SEC-61).
  if (needsNonce && (typeof given !== 'string' || !isSame(given, nonce)))
    throw new ProviderFault('the ID token has not our nonce');
  if (!matchesAccessToken(verified, token.access_token)) throw new ProviderFault('at_hash is of another access token');
  return claims;
}

/** Adds what the userinfo endpoint has; the ID token wins. Another subject there is an attack (Core 5.3.2). */
async function addUserinfo(
  calls: Calls,
  { userinfoEndpoint }: IssuerDocument,
  token: TokenAnswer,
  claims: IdTokenClaims,
): Promise<IdTokenClaims> {
  if (userinfoEndpoint === null) return claims;
  const found = (await makeGetJson(calls, token)(userinfoEndpoint)) as IdTokenClaims;
  if (found['sub'] !== claims['sub']) throw new ProviderFault('the userinfo endpoint answered for another subject');
  return { ...found, ...claims };
}

/** HTTP Basic first, unless the provider announces the body only. */
function clientAuthMethods({ authMethods }: IssuerDocument): readonly ('basic' | 'body')[] {
  const isBodyOnly = authMethods?.includes('client_secret_post') && !authMethods.includes('client_secret_basic');
  return isBodyOnly ? ['body'] : ['basic', 'body'];
}
