/** The addresses of a custom provider: which there are, and what of them is checked over the network. */
import type { CustomProviderSettings, CustomProviderType } from '../../../db/custom-providers.js';
import type { StoredProviderTools } from '../../providers/stored/contract.js';

const ADDRESSES = {
  oidc: ['issuer', 'discovery_url'],
  oauth2: ['authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'],
} as const;

/** The addresses that this type has. Those of the other type are dropped. */
export const addressesOf = (type: CustomProviderType): readonly (keyof CustomProviderSettings)[] => ADDRESSES[type];

/**
 * @param names those to check; empty ones are not set
 * @throws ApiError invalidParameter
 */
export async function assertAddresses(
  tools: StoredProviderTools,
  settings: CustomProviderSettings,
  names: readonly (keyof CustomProviderSettings)[],
): Promise<void> {
  for (const name of names) {
    const url = settings[name] as string;
    if (url !== '') await tools.assertAddress(name, url);
  }
}

/** openid first: without it there would be no ID token (OpenID Connect Core 3.1.2.1). */
export function scopesOf(type: CustomProviderType, scopes: readonly string[]): readonly string[] {
  return type === 'oidc' ? ['openid', ...scopes.filter((scope) => scope !== 'openid')] : scopes;
}
