import { randomUUID } from 'node:crypto';
import { isUniqueViolation } from '../../../db/errors.js';
import { findSsoProvider, findTakenDomain, insertSsoProvider, type SsoProviderRow } from '../../../db/sso-providers.js';
import { auditEntry, logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import type { ProviderManager } from '../../organizations/provider-manager.js';
import { NO_ORGANIZATION, readProviderPlace, traitsOfPlace } from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { readSsoProvider } from './find-sso-provider.js';
import { readGivenMetadata } from './given-metadata.js';
import { writeProvider } from './managed-provider.js';
import { assertMemberMayGive } from './member-limits.js';
import { assertOtherFields, type GivenProvider, readDomains } from './provider-fields.js';
import { optionsOf } from './provider-options.js';

/**
 * POST /admin/sso/providers and /organizations/{id}/sso.
 * @param type of the request
 * @throws ApiError ssoTypeUnsupported, ssoFieldInvalid, samlMetadataMissing, those of the metadata, samlIdpAlreadyExists,
 *   ssoResourceIdTaken, ssoDomainTaken, ssoUpdateConflict, and those of readProviderPlace() and writeProvider()
 */
export async function createSsoProvider(
  app: App,
  manager: ProviderManager,
  type: string,
  given: GivenProvider,
): Promise<SsoProviderRow> {
  if (type !== 'saml') throw apiError('ssoTypeUnsupported');
  assertOtherFields(given);
  const place = readProviderPlace(manager.organizationId, NO_ORGANIZATION, given);
  if (manager.organizationId !== null) assertMemberMayGive(app, given, null);
  const domains = readDomains(given.domains ?? []);
  const read = await readGivenMetadata(app, given);
  if (read === null) throw apiError('samlMetadataMissing');
  const { entity_id } = read.metadata;
  const resourceId = given.resource_id || null;
  if ((await findSsoProvider(app.db, 'entity_id', entity_id)) !== undefined) {
    throw apiError('samlIdpAlreadyExists', { id: entity_id });
  }
  await assertFree(app, resourceId, domains, null);
  const row = {
    id: randomUUID(),
    resource_id: resourceId,
    disabled: given.disabled ?? null,
    entity_id,
    metadata_xml: read.xml,
    metadata_url: read.url,
    metadata: read.metadata,
    attribute_mapping: given.attribute_mapping ?? {},
    name_id_format: given.name_id_format || null,
    options: optionsOf({}, given),
    ...place,
    domains,
  };
  const traits = { sso_provider_id: row.id, entity_id, domains, ...traitsOfPlace(row) };
  const audit = [auditEntry(manager.changer.actor, 'sso_provider_created', traits)];
  await writeProvider(app, manager, row, null, true, (statements) =>
    insertSsoProvider(statements, row, storedAudit(app, audit)),
  ).catch(refuseClash);
  logAudit(app, manager.changer.requestId, audit);
  return readSsoProvider(app, row.id);
}

/** @param ownId of the provider that is changed. @throws ApiError ssoResourceIdTaken, ssoDomainTaken */
export async function assertFree(
  { db }: App,
  resourceId: string | null,
  domains: readonly string[],
  ownId: string | null,
): Promise<void> {
  const holder = resourceId === null ? undefined : await findSsoProvider(db, 'resource_id', resourceId);
  if (holder !== undefined && holder.id !== ownId) throw apiError('ssoResourceIdTaken');
  const taken = domains.length === 0 ? undefined : await findTakenDomain(db, domains, ownId);
  if (taken !== undefined) throw apiError('ssoDomainTaken', { domain: taken.domain, provider: taken.provider_id });
}

/** Another request took a name in the meantime. @throws ApiError ssoUpdateConflict */
export function refuseClash(error: unknown): never {
  if (isUniqueViolation(error)) throw apiError('ssoUpdateConflict', {}, { cause: error });
  throw error;
}
