import type { CustomProviderRow } from '../../../db/custom-providers.js';
import { viewPlace } from '../../organizations/provider-place.js';

/** Members of a discovery document, under the names of supabase/auth. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['scopes_supported', 'supported_scopes'],
  ['response_types_supported', 'supported_response_types'],
  ['subject_types_supported', 'supported_subject_types'],
  ['id_token_signing_alg_values_supported', 'supported_id_token_signing_algs'],
]);

/** Present only when set. */
const OPTIONAL = ['issuer', 'discovery_url', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'] as const;

/** The answer of the API: never the secret. */
export function viewCustomProvider(row: CustomProviderRow): Record<string, unknown> {
  const { settings, discovery_document: document } = row;
  const isOidc = row.provider_type === 'oidc';
  return {
    id: row.id,
    provider_type: row.provider_type,
    identifier: row.identifier,
    name: settings.name,
    client_id: settings.client_id,
    acceptable_client_ids: settings.acceptable_client_ids,
    scopes: settings.scopes,
    pkce_enabled: settings.pkce_enabled,
    attribute_mapping: settings.attribute_mapping,
    custom_claims_allowlist: settings.custom_claims_allowlist,
    authorization_params: settings.authorization_params,
    enabled: settings.enabled,
    email_optional: settings.email_optional,
    skip_nonce_check: settings.skip_nonce_check,
    ...Object.fromEntries(OPTIONAL.filter((name) => settings[name] !== '').map((name) => [name, settings[name]])),
    ...(isOidc && document !== null && { discovery_document: viewDocument(document) }),
    ...viewPlace(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

const viewDocument = (document: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [RENAMED.get(name) ?? name, value]));
