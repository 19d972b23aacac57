/** Domains of an organization, which it proves by DNS. */
import { isUniqueViolation } from '../../db/errors.js';
import {
  findOrganizationDomain,
  insertOrganizationDomain,
  listOrganizationDomains,
  type OrganizationDomainRow,
  removeOrganizationDomain,
  verifyOrganizationDomain,
} from '../../db/organization-domains.js';
import { spellDomain } from '../accounts/addresses.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertProof, proofRecordOf } from '../domains/domain-proof.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { readOwnOrganization } from './change-organization.js';
import { changerOfUser, withLockedOrganization } from './locked-organization.js';
import { isMailProvider } from './mail-providers.js';
import { assertPermitted } from './rules.js';

const MAX_DOMAINS = 50;
const NAME = /^(?=.{4,243}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** @throws ApiError organizationFieldInvalid */
function readDomain(given: string | undefined): string {
  const refuse = (reason: string) => apiError('organizationFieldInvalid', { reason });
  const domain = spellDomain(given ?? '');
  if (!NAME.test(domain)) throw refuse('domain must be a name such as example.com');
  if (isMailProvider(domain)) throw refuse('domain must not be one in which everybody may have an address');
  return domain;
}

export const viewOrganizationDomain = ({ domain, proof, created_at, verified_at }: OrganizationDomainRow) => ({
  domain,
  status: verified_at === null ? 'pending' : 'verified',
  record: proofRecordOf(domain, proof),
  created_at,
  verified_at,
});

/** @throws ApiError organizationNotFound, organizationPermissionMissing */
export async function listDomains(app: App, caller: UserCaller, pathId: string): Promise<OrganizationDomainRow[]> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'domains:manage');
  return listOrganizationDomains(app.db, id);
}

/**
 * POST /organizations/{id}/domains. One that the organization has is answered again. Whether another one has it shows only to
 * those who can write its DNS (verifyDomainOf).
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid, tooManyDomains
 */
export async function addDomain(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
  given: string | undefined,
): Promise<OrganizationDomainRow> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'domains:manage');
  const domain = readDomain(given);
  return withLockedOrganization(app, changerOfUser(caller, requestId), id, null, async (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, 'domains:manage');
    const added = await insertOrganizationDomain(statements, id, domain, MAX_DOMAINS);
    const row = added ?? (await findOrganizationDomain(statements, id, domain));
    if (row === undefined) throw apiError('tooManyDomains', { limit: MAX_DOMAINS });
    return row;
  });
}

/**
 * Looks the record up. Of those who want a domain one has it.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, domainNotFound, domainRecordMissing, domainTaken
 */
export async function verifyDomainOf(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
  given: string,
): Promise<OrganizationDomainRow> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'domains:manage');
  const wanted = await findOrganizationDomain(app.db, id, spellDomain(given));
  if (wanted === undefined) throw apiError('domainNotFound');
  await assertProof(app.txtRecords, proofRecordOf(wanted.domain, wanted.proof));
  const traits = { organization_id: id, domain: wanted.domain };
  const audit = [auditEntry(caller.user, 'organization.domain_verified', traits)];
  const verify = withLockedOrganization(app, changerOfUser(caller, requestId), id, null, (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, 'domains:manage');
    return verifyOrganizationDomain(statements, id, wanted, storedAudit(app, audit));
  });
  const row = await verify.catch((error: unknown) => {
    throw isUniqueViolation(error) ? apiError('domainTaken', {}, { cause: error }) : error;
  });
  if (row === undefined) throw apiError('domainNotFound');
  if (row.is_new) logAudit(app, requestId, audit);
  return row;
}

/** @throws ApiError organizationNotFound, organizationPermissionMissing, domainNotFound */
export async function removeDomain(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
  given: string,
): Promise<void> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'domains:manage');
  const domain = spellDomain(given);
  const audit = [auditEntry(caller.user, 'organization.domain_lost', { organization_id: id, domain })];
  const changer = changerOfUser(caller, requestId);
  const wasVerified = await withLockedOrganization(app, changer, id, null, (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, 'domains:manage');
    return removeOrganizationDomain(statements, id, domain, storedAudit(app, audit));
  });
  if (wasVerified === undefined) throw apiError('domainNotFound');
  if (wasVerified) logAudit(app, requestId, audit);
}
