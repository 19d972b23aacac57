/** Identity providers of companies as rows of supabase/auth. */
import { randomUUID } from 'node:crypto';
import type { ExportedSsoProvider } from '../../../db/export.js';
import type { PeerBatch } from '../../../db/to-gotrue.js';
import { nameIdFormatUri } from '../../saml/name-id-formats.js';

/** @param onLost called with what supabase/auth does not know of a provider */
export function toSsoBatches(
  providers: readonly ExportedSsoProvider[],
  onLost: (id: string, what: string) => void,
): PeerBatch[] {
  for (const { id, options } of providers) for (const what of Object.keys(options)) onLost(id, what);
  return [
    { into: 'sso_providers', rows: providers },
    { into: 'saml_providers', rows: providers.map(toSamlRow) },
    { deleteFrom: 'sso_domains', ids: providers.map(({ id }) => id) },
    { into: 'sso_domains', rows: providers.flatMap(toDomainRows) },
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

const toDomainRows = ({ id, domains }: ExportedSsoProvider): object[] =>
  domains.map(({ domain, created_at }) => ({
    id: randomUUID(),
    sso_provider_id: id,
    domain,
    created_at,
    updated_at: created_at,
  }));
