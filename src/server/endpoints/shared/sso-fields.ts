import type { ErrorName } from '../../errors.js';

/** Fields of the identity provider of a company that members of its organization set, too. */
export const memberSsoFields = [
  'metadata_xml',
  'metadata_url',
  'domains',
  'attribute_mapping',
  'name_id_format',
  'disabled',
  'idp_initiated',
  'enforced',
  'force_authn',
  'authn_context',
] as const;

/**
 * Fields of an OpenID Connect provider that members of its organization set, beside attribute_mapping. Whether accounts need an address
 * and ID tokens a nonce is up to administrators.
 */
export const memberOpenidFields = [
  'name',
  'client_id',
  'client_secret',
  'acceptable_client_ids',
  'scopes',
  'custom_claims_allowlist',
  'pkce_enabled',
  'enabled',
  'authorization_params',
  'issuer',
  'discovery_url',
] as const;

/** Fields of the identity provider of a company. */
export const ssoFields = [...memberSsoFields, 'resource_id'] as const;

/** What those get who join the organization of a provider. */
export const joiningFields = ['roles', 'role_mapping'] as const;

export const ssoPlaceFields = ['organization_id', ...joiningFields] as const;

export const ssoFieldErrors: readonly ErrorName[] = [
  'samlMetadataTwice',
  'samlMetadataUrlInvalid',
  'samlMetadataUrlPlain',
  'samlMetadataFault',
  'samlMetadataFetchFailed',
  'ssoResourceIdTaken',
  'ssoDomainTaken',
  'ssoFieldInvalid',
  'ssoUpdateConflict',
];

export const joiningErrors: readonly ErrorName[] = ['organizationFieldInvalid', 'roleNotFound'];

export const ssoPlaceErrors: readonly ErrorName[] = ['organizationsDisabled', 'organizationNotFound', ...joiningErrors];

/** Metadata of most companies has less than 100 kB. More is read from an address. */
export const SSO_METADATA_BYTES = 262_144;
