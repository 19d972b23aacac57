import type { CustomProviderConfig } from '../config/settings.js';
import type { OidcSpec } from './contract.js';
import { readStandardClaims } from './oidc-claims.js';

/** Any OpenID Connect issuer, by its discovery document: AUTH_EXTERNAL_CUSTOM_<NAME>_ISSUER. */
export function makeCustomSpec({ issuer, scopes }: Pick<CustomProviderConfig, 'issuer' | 'scopes'>): OidcSpec {
  return {
    protocol: 'oidc',
    // Without openid there would be no ID token (Core 3.1.2.1).
    scopes: scopes.includes('openid') ? scopes : ['openid', ...scopes],
    usesPkce: true,
    idTokens: { issuer: () => issuer, readClaims: readStandardClaims },
  };
}
