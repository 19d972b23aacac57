/** A provider of OpenID Connect: the profile is the ID token that comes with the access token (Core 3.1). */
import { type Refusal, refuse } from '../errors.js';
import { buildAuthorizationUrl } from './authorization-url.js';
import { type Calls, openCalls } from './calls.js';
import { audiencesOf, ProviderFault } from './claims.js';
import type {
  CallbackAnswer,
  ExternalProfile,
  ExternalProvider,
  IdTokenClaims,
  IdTokenSpec,
  OidcSpec,
  ProviderParts,
  TokenAnswer,
} from './contract.js';
import { type Discovery, findDocument, type IssuerDocument, isOwnIssuer } from './discovery.js';
import { isSame, matchesAccessToken, verifyToken } from './id-token.js';
import { exchangeCode } from './oauth2.js';
import { grantOf, makeGetJson, readCode, readOrRefuse } from './oauth2-provider.js';

export function openOidcProvider(spec: OidcSpec, parts: ProviderParts, discovery: Discovery): ExternalProvider {
  const { settings, url, clientId, budgetSeconds } = parts;
  const { redirectUri } = settings;
  const readSecret = spec.openSecret?.(settings) ?? (async () => settings.secret);

  async function findEndpoints(calls: Calls) {
    const document = await calls.wait(findDocument(discovery, spec.idTokens, url));
    const { authorizationEndpoint, tokenEndpoint } = document;
    if (authorizationEndpoint === null || tokenEndpoint === null) {
      throw new ProviderFault('the discovery document names no authorization_endpoint or no token_endpoint');
    }
    return { document, authorizationEndpoint, tokenEndpoint };
  }

  async function findAuthorizationEndpoint(): Promise<string> {
    const { authorizationEndpoint } = await findEndpoints(openCalls(budgetSeconds)).catch((cause) => {
      throw refuse('providerUnavailable', {}, { cause });
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
      const claims = await calls.wait(verifyOwnToken(spec.idTokens, parts, document, { idToken, token, nonce }));
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
      const endpoint = spec.authorizationEndpoint?.(url) ?? (await findAuthorizationEndpoint());
      const { scopes, ignoresScopes, ignoresPassthrough, usesPkce, authorizationParameters: parameters } = spec;
      const own = { endpoint, clientId, redirectUri, scopes, ignoresScopes, ignoresPassthrough, usesPkce, parameters };
      const built = buildAuthorizationUrl({ ...own, usesNonce: true }, request);
      return { url: built.url, providerState: built.nonce === request.nonce ? null : { nonce: built.nonce } };
    },
    async readAnswer(answer) {
      const code = readCode(answer);
      if (typeof code !== 'string') return code;
      const calls = openCalls(budgetSeconds);
      const failed = (cause: unknown): Refusal => refuse('codeExchangeFailed', { code: code.slice(0, 4) }, { cause });
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
        authenticateBy: waysOf(document),
      });
      const profile = await readOrRefuse(async () => {
        const read = await readProfile(calls, document, token, answer);
        return spec.complete?.(read, answer.parameters) ?? read;
      });
      return grantOf(token, profile, settings);
    },
  };
}

/** The checks of Core 3.1.3.7 on a token that came from the token endpoint. */
async function verifyOwnToken(
  spec: IdTokenSpec,
  { url, clientId }: ProviderParts,
  document: IssuerDocument,
  { idToken, token, nonce }: { idToken: string; token: TokenAnswer; nonce: string },
): Promise<IdTokenClaims> {
  const verified = await verifyToken(idToken, document, (claims) => isOwnIssuer(spec, claims, document.issuer, url));
  const { claims } = verified;
  if (!audiencesOf(claims).includes(clientId)) throw new ProviderFault('the ID token is for another client');
  const given = claims['nonce'];
  // A nonce was sent, so that a token without one is not the answer to this sign-in (SEC-61).
  if (typeof given !== 'string' || !isSame(given, nonce)) throw new ProviderFault('the ID token has not our nonce');
  if (!matchesAccessToken(verified, token.access_token)) throw new ProviderFault('at_hash is of another access token');
  return claims;
}

/** HTTP Basic first, unless the provider says that it takes the body only. */
function waysOf({ authMethods }: IssuerDocument): readonly ('basic' | 'body')[] {
  const isBodyOnly = authMethods?.includes('client_secret_post') && !authMethods.includes('client_secret_basic');
  return isBodyOnly ? ['body'] : ['basic', 'body'];
}
