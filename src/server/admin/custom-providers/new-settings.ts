import type { CustomProviderSettings, CustomProviderType } from '../../../db/custom-providers.js';
import type { GivenFields } from './fields.js';
import { addressesOf, scopesOf } from './provider-urls.js';

/** The settings of a new provider. @param given fields that have passed the checks; name and client id are there */
export function newProviderSettings(type: CustomProviderType, given: GivenFields): CustomProviderSettings {
  const addresses = addressesOf(type);
  const address = (name: keyof CustomProviderSettings): string =>
    addresses.includes(name) ? ((given[name] as string | undefined) ?? '').trim() : '';
  return {
    name: given.name!,
    client_id: given.client_id!,
    acceptable_client_ids: given.acceptable_client_ids ?? [],
    scopes: scopesOf(type, given.scopes ?? []),
    custom_claims_allowlist: given.custom_claims_allowlist ?? [],
    pkce_enabled: given.pkce_enabled ?? true,
    enabled: given.enabled ?? true,
    email_optional: given.email_optional ?? false,
    skip_nonce_check: (type === 'oidc' && given.skip_nonce_check) || false,
    attribute_mapping: given.attribute_mapping ?? {},
    authorization_params: (given.authorization_params ?? {}) as CustomProviderSettings['authorization_params'],
    issuer: address('issuer'),
    discovery_url: address('discovery_url'),
    authorization_url: address('authorization_url'),
    token_url: address('token_url'),
    userinfo_url: address('userinfo_url'),
    jwks_uri: address('jwks_uri'),
  };
}
