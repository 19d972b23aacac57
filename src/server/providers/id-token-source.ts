/** Whose ID tokens may be redeemed, and how one that may not is refused. Loads nothing, and calls nobody. */
import type { IdTokenIssuer } from '../config/settings.js';
import { type Refusal, type RefusalName, refuseAsOAuth } from '../errors.js';
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

/** Where tokens may come from. */
export interface IdTokenSources {
  readonly sources: readonly IdTokenSource[];
  /** Providers that are switched off. */
  readonly off: readonly ProviderSettings[];
  /** EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS */
  readonly allowedIssuers: readonly IdTokenIssuer[];
}

/** Whose tokens a provider that is off would have taken; its file is not loaded for saying so. */
const ISSUERS: Readonly<Record<string, string>> = {
  apple: 'https://appleid.apple.com',
  google: 'https://accounts.google.com',
  azure: 'https://login.microsoftonline.com/common/v2.0',
  facebook: 'https://www.facebook.com',
  keycloak: '',
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
 * The source that a request means: by the provider's name, else by the issuer (reference/providers.md 7.2).
 * @throws Refusal idTokenRequest, idTokenIssuer, idTokenProviderDisabled
 */
export function findSource(request: IdTokenRequest, { sources, off, allowedIssuers }: IdTokenSources): IdTokenSource {
  const { provider, issuer, clientId } = request;
  if (request.idToken === '') throw refuseToken('idTokenRequest', 'id_token required');
  if (provider === '' && (clientId === '' || issuer === '')) {
    throw refuseToken('idTokenRequest', 'provider or client_id and issuer required');
  }
  const named = sources.find(({ name }) => name === provider);
  if (named !== undefined) return named;
  refuseIfOff(off, ({ name }) => name === provider);
  if (issuer !== '') {
    const meant = sources.find((source) => isMeantBy(source, issuer));
    if (meant !== undefined) return meant;
    refuseIfOff(off, (settings) => issuer === issuerOf(settings));
  }
  if (!allowedIssuers.some((allowed) => allowed.issuer === issuer)) {
    throw refuseToken('idTokenIssuer', `Custom OIDC provider "${provider}" not allowed`);
  }
  return {
    name: issuer,
    spec: { issuer: () => issuer, readClaims: readStandardClaims },
    url: null,
    // The caller's client_id is a name, never a permission: it would let a token for any other app in.
    audiences: [],
    allowedIssuers,
    isEmailOptional: false,
    skipsNonceCheck: false,
  };
}

const isMeantBy = ({ spec, url }: IdTokenSource, issuer: string): boolean =>
  spec.isMeantBy?.(issuer, url) ?? issuer === spec.issuer(url);

/**
 * Who a token may be for (OpenID Connect Core 3.1.3.7): the client ids of the provider, and what the operator has
 * listed for the very issuer of the token, so that a tenant's list lets no other tenant's tokens in.
 * @param issuers `iss` of the token, and `issuer` of the discovery document that it was verified with
 */
export function acceptedAudiences(
  { audiences, allowedIssuers }: IdTokenSource,
  issuers: readonly unknown[],
): readonly string[] {
  const listed = allowedIssuers.filter(({ issuer }) => issuers.includes(issuer));
  return [...audiences, ...listed.flatMap((entry) => entry.audiences)];
}

/** Entries of EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS that let no token in, each with the reason. */
export function findIdleIssuers({
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

function refuseIfOff(off: readonly ProviderSettings[], isMeant: (settings: ProviderSettings) => boolean): void {
  const found = off.find((settings) => issuerOf(settings) !== undefined && isMeant(settings));
  if (found === undefined) return;
  throw refuseAsOAuth('idTokenProviderDisabled', { issuer: issuerOf(found)! }, 'invalid request');
}

/** @returns undefined for a provider that has no ID tokens */
function issuerOf({ name, url, issuer }: ProviderSettings): string | undefined {
  if (issuer !== undefined) return issuer;
  if (!Object.hasOwn(ISSUERS, name)) return undefined;
  return url === '' ? ISSUERS[name] : url;
}

/** @param reason the peer's words */
export function refuseToken(
  name: RefusalName & ('idTokenRequest' | 'idTokenNonce' | 'idTokenIssuer'),
  reason: string,
  cause?: unknown,
): Refusal {
  return refuseAsOAuth(name, { reason }, name === 'idTokenNonce' ? 'invalid nonce' : 'invalid request', cause);
}
