/** Identity providers of companies as rows of supabase/auth. */
import { randomUUID } from 'node:crypto';
import type { ExportedDomain, ExportedSsoProvider } from '../../../db/export.js';
import type { PeerBatch } from '../../../db/to-gotrue.js';
import { nameIdFormatUri } from '../../saml/name-id-formats.js';

/**
 * @param isProofNeeded domains that are not verified do not count here, and would there: they are left out
 * @param onLost called with each of these, and with what supabase/auth does not know of a provider
 */
export function toSsoBatches(
  providers: readonly ExportedSsoProvider[],
  isProofNeeded: boolean,
  onLost: (id: string, what: string) => void,
): PeerBatch[] {
  const counts = ({ is_verified }: ExportedDomain): boolean => is_verified || !isProofNeeded;
  for (const { id, options, domains } of providers) {
    for (const what of Object.keys(options)) onLost(id, `${what} is not known there`);
    for (const { domain } of domains.filter((one) => !counts(one)))
      onLost(id, `${domain} is not verified, and left out`);
  }
  return [
    { into: 'sso_providers', rows: providers },
    { into: 'saml_providers', rows: providers.map(toSamlRow) },
    { deleteFrom: 'sso_domains', ids: providers.map(({ id }) => id) },
    { into: 'sso_domains', rows: providers.flatMap(({ id, domains }) => toDomainRows(id, domains.filter(counts))) },
  ];
}

const toSamlRow = ({ name_id_format: format, ...provider }: ExportedSsoProvider): object => ({
  // Of a new row; one that is there keeps its own.
  id: provider.id,
  sso_provider_id: provider.id,
  entity_id: provider.entity_id,
  metadata_xml: provider.metadata_xml,
  metadata_url: provider.metadata_url,
  attribute_mapping: provider.attribute_mapping,
  name_id_format: format === null ? null : (nameIdFormatUri(format) ?? null),
  created_at: provider.created_at,
  // There it is the time at which the metadata was read.
  updated_at: provider.metadata_refreshed_at,
});

const toDomainRows = (id: string, domains: readonly ExportedDomain[]): object[] =>
  domains.map(({ domain, created_at }) => ({
    id: randomUUID(),
    sso_provider_id: id,
    domain,
    created_at,
    updated_at: created_at,
  }));
