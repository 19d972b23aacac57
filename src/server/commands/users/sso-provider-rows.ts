/** Reads identity providers of companies (SAML 2.0) of supabase/auth. */
import type { ImportSsoProvider } from '../../../db/import-sso.js';
import type { SupabaseAuthRow } from '../../../db/supabase-auth-oauth.js';
import type { SamlMetadata, UnusableMetadata } from '../../../workers/saml-wire.js';
import { loadSaml, type SamlTasks } from '../../../workers/tasks/saml.js';
import { type Fields, RowFault, readBoolean, readObject, readText, readTime } from '../../importing/rows.js';
import { findMetadataFault } from '../../saml/metadata-faults.js';
import { assertMetadataUrl, assertOtherFields, readDomains } from '../../saml/providers/provider-fields.js';
import { judged, readLongText } from './client-rows.js';
import { digestOf } from './digest.js';

export type MetadataReader = (xml: string) => SamlMetadata | UnusableMetadata;

/** Loads what reads XML with the first metadata. */
export function openMetadataReader(): MetadataReader {
  let tasks: SamlTasks | undefined;
  return (xml) => {
    tasks ??= loadSaml();
    return tasks.readMetadata(xml);
  };
}

/** Both leave the other server as the place of the change, so that the id stays, by which the identities find the provider. */
const CURE =
  'change it there (PUT /admin/sso/providers/<id>) and import again; its users are imported, and wait for it';

/**
 * Reads one provider with its domains, by the rules for a new one. Nothing is fetched: where its metadata has an address and has
 * expired, the server reads it again soon after the import.
 * @param row of sso_providers, with the rows `saml` and the list `domains`
 * @throws RowFault
 */
export function readMovedSsoProvider(row: SupabaseAuthRow, readMetadata: MetadataReader): ImportSsoProvider {
  const saml = readSaml(row);
  const xml = readLongText(saml, 'metadata_xml');
  if (xml === null) throw new RowFault(`metadata_xml is missing: ${CURE}`);
  const url = readLongText(saml, 'metadata_url');
  const metadata = readMetadata(xml);
  const fault = 'fault' in metadata || url === null ? findMetadataFault(metadata, Date.now()) : null;
  if (fault !== null || 'fault' in metadata) throw new RowFault(`SAML Metadata ${fault}: ${CURE}`);
  const created_at = readTime(row, 'created_at') ?? readTime(saml, 'created_at');
  if (created_at === null) throw new RowFault('created_at is missing');
  const entity_id = readText(saml, 'entity_id');
  if (entity_id !== metadata.entity_id) throw new RowFault(`SAML Metadata is of ${metadata.entity_id}: ${CURE}`);
  const format = readText(saml, 'name_id_format');
  const mapping = readObject(saml, 'attribute_mapping') ?? {};
  const resourceId = readText(row, 'resource_id');
  const domains = curable(() => {
    if (url !== null) assertMetadataUrl(url, []);
    assertOtherFields({
      attribute_mapping: mapping,
      ...(format !== null && { name_id_format: format }),
      ...(resourceId !== null && { resource_id: resourceId }),
    });
    return readDomains((row['domains'] as readonly string[] | null) ?? []);
  });
  const facts = {
    id: row.id,
    resource_id: resourceId,
    disabled: (row['disabled'] ?? null) === null ? null : readBoolean(row, 'disabled'),
    entity_id,
    metadata_url: url,
    attribute_mapping: mapping,
    name_id_format: format,
    domains: domains.toSorted(),
    created_at,
    updated_at: readTime(row, 'updated_at') ?? created_at,
  };
  return {
    ...facts,
    metadata_xml: xml,
    metadata,
    metadata_refreshed_at: readTime(saml, 'updated_at') ?? facts.updated_at,
    // Without metadata that the other server fetches anew at times.
    digest: digestOf([facts, url === null ? xml : null]),
  };
}

function readSaml(row: Fields): Fields {
  const found = (row['saml'] as readonly Fields[] | null) ?? [];
  if (found.length !== 1) throw new RowFault(`it has ${found.length} rows in saml_providers, and must have one`);
  return found[0]!;
}

/** @throws RowFault that says what to do */
function curable<Result>(rule: () => Result): Result {
  try {
    return judged(rule);
  } catch (error) {
    if (error instanceof RowFault) throw new RowFault(`${error.message}: ${CURE}`);
    throw error;
  }
}
