import type { DomainProof, SsoProviderRow } from '../../../db/sso-providers.js';
import type { Config } from '../../config/settings.js';
import { proofRecordOf } from '../../domains/domain-proof.js';
import { viewPlace } from '../../organizations/provider-place.js';

/** The answer of the API. @param isListed without the metadata itself */
export function viewSsoProvider(
  row: SsoProviderRow,
  { samlRequireDomainProof }: Pick<Config, 'samlRequireDomainProof'>,
  isListed = false,
): Record<string, unknown> {
  const { metadata, options } = row;
  return {
    id: row.id,
    ...(row.resource_id !== null && { resource_id: row.resource_id }),
    disabled: row.disabled,
    ...viewPlace(row),
    saml: {
      entity_id: row.entity_id,
      ...(!isListed && { metadata_xml: row.metadata_xml }),
      ...(row.metadata_url !== null && { metadata_url: row.metadata_url }),
      attribute_mapping: row.attribute_mapping,
      ...(row.name_id_format !== null && { name_id_format: row.name_id_format }),
      certificates: metadata.certificates.map(({ fingerprint, not_after }) => ({ fingerprint, not_after })),
      valid_until: metadata.valid_until,
      metadata_refreshed_at: row.metadata_refreshed_at,
      metadata_error: row.metadata_error,
      ...options,
    },
    domains: samlRequireDomainProof
      ? (row.domain_proofs ?? []).map((proof) => viewDomain(proof, row.organization_id !== null))
      : row.domains.map((domain) => ({ domain })),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/**
 * A domain with the record that proves it.
 * @param isOfOrganization one that is verified has been proven by the record of its organization
 */
export const viewDomain = (
  { domain, proof, is_verified }: DomainProof,
  isOfOrganization = false,
): Record<string, unknown> => ({
  domain,
  status: is_verified ? 'verified' : 'pending',
  ...(!(isOfOrganization && is_verified) && { record: proofRecordOf(domain, proof) }),
});
