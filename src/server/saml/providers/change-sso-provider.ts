import { deleteSsoProvider, type SsoProviderRow, updateSsoProvider } from '../../../db/sso-providers.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { refreshMetadata } from '../refresh-metadata.js';
import { assertFree, refuseClash } from './create-sso-provider.js';
import { readSsoProvider } from './find-sso-provider.js';
import { readGivenMetadata } from './given-metadata.js';
import { assertOtherFields, type GivenProvider, readDomains } from './provider-fields.js';
import { optionsOf } from './provider-options.js';

/**
 * PUT /admin/sso/providers/{id}: what is absent stays, except name_id_format, which becomes the default again. A provider
 * that is disabled loses its sessions.
 * @throws ApiError ssoIdentityProviderNotFound, ssoFieldInvalid, those of the metadata, samlEntityIdMismatch,
 *   ssoResourceIdTaken, ssoDomainTaken, ssoUpdateConflict
 */
export async function changeSsoProvider(
  app: App,
  requestId: string,
  admin: Administrator,
  id: string,
  given: GivenProvider,
): Promise<SsoProviderRow> {
  const row = await readSsoProvider(app, id);
  assertOtherFields(given);
  const domains = given.domains === undefined ? row.domains : readDomains(given.domains);
  const read = await readGivenMetadata(app, given);
  if (read !== null && read.metadata.entity_id !== row.entity_id) {
    throw apiError('samlEntityIdMismatch', { expected: row.entity_id });
  }
  const resourceId = given.resource_id === undefined ? row.resource_id : given.resource_id || null;
  await assertFree(app, resourceId, domains, row.id);
  const written = {
    id: row.id,
    version: row.version,
    resource_id: resourceId,
    disabled: given.disabled ?? row.disabled,
    metadata_xml: read?.xml ?? row.metadata_xml,
    metadata_url: read === null ? row.metadata_url : read.url,
    metadata: read?.metadata ?? row.metadata,
    attribute_mapping: given.attribute_mapping ?? row.attribute_mapping,
    name_id_format: given.name_id_format || null,
    options: optionsOf(row.options, given),
    domains,
  };
  const traits = { sso_provider_id: row.id, fields: Object.keys(given).sort() };
  const audit = [auditEntry(adminActor(admin), 'sso_provider_updated', traits)];
  const isWritten = await updateSsoProvider(app.db, written, read !== null, storedAudit(app, audit)).catch(refuseClash);
  if (!isWritten) throw apiError('ssoUpdateConflict');
  logAudit(app, requestId, audit);
  return readSsoProvider(app, row.id);
}

/**
 * DELETE /admin/sso/providers/{id}: its sessions end. Accounts stay, without a way to sign in to them.
 * @returns as it was
 * @throws ApiError ssoIdentityProviderNotFound
 */
export async function removeSsoProvider(
  app: App,
  requestId: string,
  admin: Administrator,
  id: string,
): Promise<SsoProviderRow> {
  const row = await readSsoProvider(app, id);
  const traits = { sso_provider_id: row.id, entity_id: row.entity_id };
  const audit = [auditEntry(adminActor(admin), 'sso_provider_deleted', traits)];
  if (!(await deleteSsoProvider(app.db, row.id, storedAudit(app, audit))))
    throw apiError('ssoIdentityProviderNotFound');
  logAudit(app, requestId, audit);
  return row;
}

/**
 * POST /admin/sso/providers/{id}/refresh_metadata.
 * @throws ApiError ssoIdentityProviderNotFound, and those of {@link refreshMetadata}
 */
export async function refreshSsoProvider(app: App, id: string): Promise<SsoProviderRow> {
  const row = await readSsoProvider(app, id);
  await refreshMetadata(app, row);
  return readSsoProvider(app, row.id);
}
