/** Scopes (RFC 6749 3.3). */
import type { Config } from '../config/settings.js';
import { apiError } from '../errors.js';

export const STANDARD_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'phone', 'offline_access'];

/** With organizations switched on. */
export const ORGANIZATION_SCOPE = 'organization';

type ScopeSettings = Pick<
  Config,
  'organizationsEnabled' | 'oauthServerScopes' | 'oauthServerUnknownScopes' | 'oauthServerDefaultScope'
>;

/** name → text for users, of the scopes of OAUTH_SERVER_SCOPES. */
export function ownScopes({ oauthServerScopes }: Pick<Config, 'oauthServerScopes'>): ReadonlyMap<string, string> {
  return new Map(
    oauthServerScopes.map((entry) => {
      const equals = entry.indexOf('=');
      return equals === -1 ? [entry, entry] : [entry.slice(0, equals), entry.slice(equals + 1)];
    }),
  );
}

export const supportedScopes = (config: Pick<Config, 'oauthServerScopes' | 'organizationsEnabled'>): string[] => [
  ...new Set([
    ...STANDARD_SCOPES,
    ...(config.organizationsEnabled ? [ORGANIZATION_SCOPE] : []),
    ...ownScopes(config).keys(),
  ]),
];

/** A scope as RFC 6749 3.3 writes it. */
export const isScopeToken = (text: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);

/**
 * The scopes of a request: each once, in the order of the request.
 * @param scope as sent; undefined: the default
 * @param allowed those of the client; null: all
 * @returns the scopes, or the one that is refused; '' when there is none at all
 */
export function readScopes(
  config: ScopeSettings,
  scope: string | undefined,
  allowed: readonly string[] | null,
): { readonly scopes: readonly string[] } | { readonly refused: string } {
  const asked = new Set((scope ?? config.oauthServerDefaultScope).split(' ').filter(Boolean));
  const known = new Set(supportedScopes(config));
  const scopes: string[] = [];
  for (const one of asked) {
    const isGiven = known.has(one) && (allowed === null || allowed.includes(one));
    if (isGiven) scopes.push(one);
    else if (config.oauthServerUnknownScopes === 'refuse') return { refused: one };
  }
  return scopes.length === 0 ? { refused: '' } : { scopes };
}

/**
 * The scopes of a refresh (RFC 6749 6): at most those of the authorization.
 * @param scope as sent; undefined: all
 * @throws ApiError scopeRefused
 */
export function narrowScopes(granted: readonly string[], scope: string | undefined): readonly string[] {
  const asked = [...new Set((scope ?? '').split(' ').filter(Boolean))];
  const excess = asked.find((one) => !granted.includes(one));
  if (excess !== undefined) throw apiError('scopeRefused', { scope: excess });
  return asked.length === 0 ? granted : asked;
}
