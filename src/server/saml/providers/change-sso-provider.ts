import { deleteSsoProvider, type SsoProviderRow, updateSsoProvider } from '../../../db/sso-providers.js';
import { auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import { type ProviderManager, removeManaged } from '../../organizations/provider-manager.js';
import { readProviderPlace, traitsOfPlace } from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { refreshMetadata } from '../refresh-metadata.js';
import { assertFree, refuseClash } from './create-sso-provider.js';
import { readSsoProvider } from './find-sso-provider.js';
import { readGivenMetadata } from './given-metadata.js';
import { readManagedProvider, writeProvider } from './managed-provider.js';
import { assertMemberMayGive } from './member-limits.js';
import { assertOtherFields, type GivenProvider, readDomains } from './provider-fields.js';
import { optionsOf } from './provider-options.js';

/**
 * PUT /admin/sso/providers/{id} and /organizations/{id}/sso/{provider_id}: what is absent stays, except name_id_format, which
 * becomes the default again. A provider that is disabled loses its sessions.
 * @throws ApiError ssoIdentityProviderNotFound, ssoFieldInvalid, those of the metadata, samlEntityIdMismatch,
 *   ssoResourceIdTaken, ssoDomainTaken, ssoUpdateConflict, and those of readProviderPlace() and writeProvider()
 */
export async function changeSsoProvider(
  app: App,
  manager: ProviderManager,
  id: string,
  given: GivenProvider,
): Promise<SsoProviderRow> {
  const row = await readManagedProvider(app, manager, id);
  assertOtherFields(given);
  const place = readProviderPlace(manager.organizationId, row, given);
  if (manager.organizationId !== null) assertMemberMayGive(app, given, row);
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
    ...place,
    domains,
  };
  const traits = { sso_provider_id: row.id, fields: Object.keys(given).sort(), ...traitsOfPlace(written) };
  const audit = [auditEntry(manager.changer.actor, 'sso_provider_updated', traits)];
  const isWritten = await writeProvider(app, manager, written, row, read !== null, (statements) =>
    updateSsoProvider(statements, written, read !== null, storedAudit(app, audit)),
  ).catch(refuseClash);
  if (!isWritten) throw apiError('ssoUpdateConflict');
  logAudit(app, manager.changer.requestId, audit);
  return readSsoProvider(app, row.id);
}

/**
 * DELETE of the same: its sessions end. Accounts stay, without a way to sign in to them.
 * @returns as it was
 * @throws ApiError ssoIdentityProviderNotFound, and those of removeManaged()
 */
export async function removeSsoProvider(app: App, manager: ProviderManager, id: string): Promise<SsoProviderRow> {
  const row = await readManagedProvider(app, manager, id);
  const traits = { sso_provider_id: row.id, entity_id: row.entity_id, ...traitsOfPlace(row) };
  const audit = [auditEntry(manager.changer.actor, 'sso_provider_deleted', traits)];
  const isDeleted = await removeManaged(app, manager, (statements) =>
    deleteSsoProvider(statements, row.id, manager.organizationId, storedAudit(app, audit)),
  );
  if (!isDeleted) throw apiError('ssoIdentityProviderNotFound');
  logAudit(app, manager.changer.requestId, audit);
  return row;
}

/**
 * POST …/refresh_metadata of the same.
 * @throws ApiError ssoIdentityProviderNotFound, and those of {@link refreshMetadata}
 */
export async function refreshSsoProvider(
  app: App,
  manager: Pick<ProviderManager, 'organizationId'>,
  id: string,
): Promise<SsoProviderRow> {
  const row = await readManagedProvider(app, manager, id);
  await refreshMetadata(app, row);
  return readSsoProvider(app, row.id);
}
