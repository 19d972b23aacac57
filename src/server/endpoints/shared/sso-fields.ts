import type { ErrorName } from '../../errors.js';

/** Fields of the identity provider of a company. */
export const ssoFields = [
  'metadata_xml',
  'metadata_url',
  'domains',
  'attribute_mapping',
  'name_id_format',
  'resource_id',
  'disabled',
  'idp_initiated',
  'enforced',
  'force_authn',
  'authn_context',
] as const;

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

/** Metadata of most companies has less than 100 kB. More is read from an address. */
export const SSO_METADATA_BYTES = 262_144;
