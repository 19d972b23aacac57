/** Sources of ID tokens: which may be redeemed. Loads no provider and makes no network call. */
import type { IdTokenIssuer } from '../config/settings.js';
import { type ApiError, type ErrorName, oauthApiError } from '../errors.js';
import type { IdTokenRequest, IdTokenSpec, ProviderSettings } from './contract.js';
import { readStandardClaims } from './oidc-claims.js';

/** A provider whose ID tokens may be redeemed. Its secret and redirect URI may be missing. */
export interface IdTokenSource {
  readonly name: string;
  readonly spec: IdTokenSpec;
  readonly url: string | null;
  /** Client ids of the provider, whichever of its issuers a token names. */
  readonly audiences: readonly string[];
  /** EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: further audiences, each of one issuer only. */
  readonly allowedIssuers: readonly IdTokenIssuer[];
  readonly isEmailOptional: boolean;
  readonly skipsNonceCheck: boolean;
}

/** All sources of tokens. */
export interface IdTokenSources {
  readonly sources: readonly IdTokenSource[];
  /** Providers that are disabled. */
  readonly off: readonly ProviderSettings[];
  /** EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS */
  readonly allowedIssuers: readonly IdTokenIssuer[];
}

/** Issuers of disabled providers, so that their files need not be loaded for an error. */
const ISSUERS: Readonly<Record<string, string>> = {
  apple: 'https://appleid.apple.com',
  google: 'https://accounts.google.com',
  azure: 'https://login.microsoftonline.com/common/v2.0',
  facebook: 'https://www.facebook.com',
  kakao: 'https://kauth.kakao.com',
  keycloak: '',
  linkedin_oidc: 'https://www.linkedin.com/oauth',
  snapchat: 'https://accounts.snapchat.com/accounts/oauth2/token',
};

export function sourceOf(
  spec: IdTokenSpec,
  settings: ProviderSettings,
  allowedIssuers: readonly IdTokenIssuer[],
): IdTokenSource {
  return {
    name: settings.name,
    spec,
    url: settings.url === '' ? null : settings.url,
    audiences: [...settings.clientIds, ...(settings.moreAudiences ?? [])],
    allowedIssuers,
    isEmailOptional: settings.emailOptional,
    skipsNonceCheck: settings.skipNonceCheck || spec.checksNonce === false,
  };
}

/**
 * The source that a request means: by the provider's name, else by the issuer.
 * @throws ApiError idTokenRequest, idTokenIssuer, idTokenProviderDisabled
 */
export function findSource(request: IdTokenRequest, { sources, off, allowedIssuers }: IdTokenSources): IdTokenSource {
  const { provider, issuer, clientId } = request;
  if (request.idToken === '') throw idTokenError('idTokenRequest', 'id_token required');
  if (provider === '' && (clientId === '' || issuer === '')) {
    throw idTokenError('idTokenRequest', 'provider or client_id and issuer required');
  }
  const named = sources.find(({ name }) => name === provider);
  if (named !== undefined) return named;
  assertEnabled(off, ({ name }) => name === provider);
  if (issuer !== '') {
    const meant = sources.find((source) => isMeantBy(source, issuer));
    if (meant !== undefined) return meant;
    assertEnabled(off, (settings) => issuer === issuerOf(settings));
  }
  if (!allowedIssuers.some((allowed) => allowed.issuer === issuer)) {
    throw idTokenError('idTokenIssuer', `Custom OIDC provider "${provider}" not allowed`);
  }
  return {
    name: issuer,
    spec: { issuer: () => issuer, readClaims: readStandardClaims },
    url: null,
    // The client_id of the request selects nothing: it would admit a token for any other app.
    audiences: [],
    allowedIssuers,
    isEmailOptional: false,
    skipsNonceCheck: false,
  };
}

const isMeantBy = ({ spec, url }: IdTokenSource, issuer: string): boolean =>
  spec.isMeantBy?.(issuer, url) ?? issuer === spec.issuer(url);

/**
 * Audiences that a token may have (OpenID Connect Core 3.1.3.7): the client ids of the provider, and those listed for
 * the issuer of the token. The list of one tenant does not admit tokens of another.
 * @param issuers `iss` of the token, and `issuer` of the discovery document that it was verified with
 */
export function acceptedAudiences(
  { audiences, allowedIssuers }: IdTokenSource,
  issuers: readonly unknown[],
): readonly string[] {
  const listed = allowedIssuers.filter(({ issuer }) => issuers.includes(issuer));
  return [...audiences, ...listed.flatMap((entry) => entry.audiences)];
}

/** Entries of EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS that admit no token, each with the reason. */
export function findUnusableIssuers({
  sources,
  off,
  allowedIssuers,
}: IdTokenSources): { issuer: string; reason: string }[] {
  return allowedIssuers.flatMap(({ issuer, audiences }) => {
    if (sources.some((source) => isMeantBy(source, issuer))) return [];
    const found = off.find((settings) => issuerOf(settings) === issuer);
    if (found === undefined) return audiences.length > 0 ? [] : [{ issuer, reason: 'it names no audience' }];
    return audiences.length === 0 ? [] : [{ issuer, reason: `sign-in with ${found.name} is switched off` }];
  });
}

function assertEnabled(off: readonly ProviderSettings[], isMeant: (settings: ProviderSettings) => boolean): void {
  const found = off.find((settings) => issuerOf(settings) !== undefined && isMeant(settings));
  if (found === undefined) return;
  throw oauthApiError('idTokenProviderDisabled', { issuer: issuerOf(found)! }, 'invalid request');
}

/** @returns undefined for a provider that has no ID tokens */
function issuerOf({ name, url, issuer }: ProviderSettings): string | undefined {
  if (issuer !== undefined) return issuer;
  if (!Object.hasOwn(ISSUERS, name)) return undefined;
  return url === '' ? ISSUERS[name] : url;
}

/** @param reason in the words of supabase/auth */
export function idTokenError(
  name: ErrorName & ('idTokenRequest' | 'idTokenNonce' | 'idTokenIssuer'),
  reason: string,
  cause?: unknown,
): ApiError {
  return oauthApiError(name, { reason }, name === 'idTokenNonce' ? 'invalid nonce' : 'invalid request', cause);
}
