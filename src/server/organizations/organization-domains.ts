/** Domains of an organization, which it proves by DNS, and by which its people may join. */
import { isUniqueViolation } from '../../db/errors.js';
import {
  changeOrganizationDomain,
  type DomainJoins,
  findOrganizationDomain,
  insertOrganizationDomain,
  listOrganizationDomains,
  type OrganizationDomainRow,
  removeOrganizationDomain,
  unverifyOrganizationDomain,
  verifyOrganizationDomain,
} from '../../db/organization-domains.js';
import type { Statements } from '../../db/types.js';
import { spellDomain } from '../accounts/addresses.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertProof, proofRecordOf } from '../domains/domain-proof.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertChangesAccess } from './access-guard.js';
import { DEFAULT_ROLES, readRoles } from './change-members.js';
import { readManaged } from './change-organization.js';
import { isDomainName } from './domain-names.js';
import { fieldError } from './field-error.js';
import { type Changer, keepRoles, type LockedOrganization, withLockedOrganization } from './locked-organization.js';
import { isMailProvider } from './mail-providers.js';
import { isPublicSuffix } from './public-suffix.js';
import { assertKnownRoles, assertMayLetJoin, assertPermitted } from './rules.js';

const MAX_DOMAINS = 50;

/** The fields as they came; undefined: absent. */
export interface GivenDomain {
  readonly domain?: string | undefined;
  readonly auto_join?: boolean | undefined;
  readonly roles?: readonly string[] | undefined;
  /** Administrators only. */
  readonly verified?: boolean | undefined;
}

/** @throws ApiError organizationFieldInvalid where no organization can have it */
async function assertOwnable(domain: string): Promise<void> {
  if (!isDomainName(domain)) throw fieldError('domain must be a name such as example.com', 'domain_form');
  if (isMailProvider(domain) || (await isPublicSuffix(domain))) {
    throw fieldError('domain must not be one in which everybody may have an address or a name', 'domain_shared');
  }
}

export const viewOrganizationDomain = (row: OrganizationDomainRow) => ({
  domain: row.domain,
  status: row.verified_at === null ? 'pending' : 'verified',
  record: proofRecordOf(row.domain, row.proof),
  created_at: row.created_at,
  verified_at: row.verified_at,
  auto_join: row.auto_join,
  roles: row.roles,
});

/** What members need. */
const PERMISSION = 'domains:manage';

/** @throws ApiError organizationNotFound, organizationPermissionMissing */
export async function listDomains(app: App, changer: Changer, pathId: string): Promise<OrganizationDomainRow[]> {
  const { id } = await readManaged(app, changer, pathId, PERMISSION);
  return listOrganizationDomains(app.db, id);
}

/**
 * Adds a domain. One that the organization has is answered again. Whether another one has it shows only to those who can write its
 * DNS (verifyDomainOf).
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid, roleNotFound, tooManyDomains;
 *   domainTaken to administrators
 */
export async function addDomain(
  app: App,
  changer: Changer,
  pathId: string,
  given: GivenDomain,
): Promise<OrganizationDomainRow> {
  const { id } = await readManaged(app, changer, pathId, PERMISSION);
  const domain = spellDomain(given.domain ?? '');
  await assertOwnable(domain);
  return writeDomain(app, changer, id, async (statements, locked) => {
    const joins = await readJoins({ auto_join: false, roles: DEFAULT_ROLES }, given, app, changer, statements, locked);
    const added = await insertOrganizationDomain(statements, id, domain, joins, MAX_DOMAINS);
    const row = added ?? (await findOrganizationDomain(statements, id, domain));
    if (row === undefined) throw apiError('tooManyDomains', { limit: MAX_DOMAINS });
    return vouch(app, changer, statements, id, row, given.verified);
  });
}

/**
 * Changes who joins by a domain; what is absent stays.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid, roleNotFound, domainNotFound;
 *   domainTaken to administrators
 */
export async function changeDomain(
  app: App,
  changer: Changer,
  pathId: string,
  pathDomain: string,
  given: GivenDomain,
): Promise<OrganizationDomainRow> {
  const { id } = await readManaged(app, changer, pathId, PERMISSION);
  const domain = spellDomain(pathDomain);
  return writeDomain(app, changer, id, async (statements, locked) => {
    const found = await findOrganizationDomain(statements, id, domain);
    if (found === undefined) throw apiError('domainNotFound');
    const { auto_join, roles } = await readJoins(found, given, app, changer, statements, locked);
    const traits = { organization_id: id, changed: ['domains'], domain, auto_join, roles };
    const audit = [auditEntry(changer.actor, 'organization.updated', traits)];
    const stored = storedAudit(app, audit);
    const row = await changeOrganizationDomain(statements, id, domain, { auto_join, roles }, stored);
    const vouched = await vouch(app, changer, statements, id, row!, given.verified);
    return { row: vouched.row, audit: [...audit, ...vouched.audit] };
  });
}

interface Written {
  readonly row: OrganizationDomainRow;
  /** Stored already. */
  readonly audit: readonly AuditEntry[];
}

/** With the organization locked. Sign-ins at this thread follow at once. */
async function writeDomain(
  app: App,
  changer: Changer,
  id: string,
  work: (statements: Statements, locked: LockedOrganization) => Promise<Written>,
): Promise<OrganizationDomainRow> {
  const write = withLockedOrganization(app, changer, id, null, (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, PERMISSION);
    return work(statements, locked);
  });
  const { row, audit } = await write.catch((error: unknown) => {
    throw isUniqueViolation(error) ? apiError('domainTaken', {}, { cause: error }) : error;
  });
  logAudit(app, changer.requestId, audit);
  await app.joinDomains?.look();
  return row;
}

/**
 * Who lets people join gives them the roles. To keep them out needs no second factor.
 * @throws ApiError organizationPermissionMissing, organizationFieldInvalid, roleNotFound; aalForOrganization, stepUpRequired,
 *   sessionNotFound where they join
 */
async function readJoins(
  before: DomainJoins,
  given: GivenDomain,
  app: Pick<App, 'config'>,
  changer: Changer,
  statements: Statements,
  { catalog, standing }: LockedOrganization,
): Promise<DomainJoins> {
  const auto_join = given.auto_join ?? before.auto_join;
  const roles = given.roles === undefined ? before.roles : readRoles(given.roles);
  if (given.roles !== undefined || given.auto_join === true) {
    assertKnownRoles(catalog, roles);
    assertMayLetJoin(catalog, standing, roles);
    if (auto_join) await assertChangesAccess(app, statements, changer);
    await keepRoles(statements, roles);
  }
  return { auto_join, roles };
}

/** What only administrators do. @param isVerified undefined: as it is */
async function vouch(
  app: App,
  { userId, actor }: Changer,
  statements: Statements,
  id: string,
  row: OrganizationDomainRow,
  isVerified: boolean | undefined,
): Promise<Written> {
  if (userId !== null || isVerified === undefined || isVerified === (row.verified_at !== null))
    return { row, audit: [] };
  const { domain } = row;
  const action = isVerified ? 'organization.domain_verified' : 'organization.domain_lost';
  const audit = [auditEntry(actor, action, { organization_id: id, domain })];
  const stored = storedAudit(app, audit);
  const changed = isVerified
    ? await verifyOrganizationDomain(statements, id, { domain, proof: null }, stored)
    : await unverifyOrganizationDomain(statements, id, domain, stored);
  return { row: changed!, audit };
}

/**
 * Looks the record up. Of those who want a domain one has it.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, domainNotFound, domainRecordMissing, domainTaken
 */
export async function verifyDomainOf(
  app: App,
  changer: Changer,
  pathId: string,
  pathDomain: string,
): Promise<OrganizationDomainRow> {
  const { id } = await readManaged(app, changer, pathId, PERMISSION);
  const wanted = await findOrganizationDomain(app.db, id, spellDomain(pathDomain));
  if (wanted === undefined) throw apiError('domainNotFound');
  await assertProof(app.txtRecords, proofRecordOf(wanted.domain, wanted.proof));
  const traits = { organization_id: id, domain: wanted.domain };
  const audit = [auditEntry(changer.actor, 'organization.domain_verified', traits)];
  return writeDomain(app, changer, id, async (statements) => {
    const row = await verifyOrganizationDomain(statements, id, wanted, storedAudit(app, audit));
    if (row === undefined) throw apiError('domainNotFound');
    return { row, audit: row.is_new ? audit : [] };
  });
}

/** @throws ApiError organizationNotFound, organizationPermissionMissing, domainNotFound */
export async function removeDomain(app: App, changer: Changer, pathId: string, pathDomain: string): Promise<void> {
  const { id } = await readManaged(app, changer, pathId, PERMISSION);
  const domain = spellDomain(pathDomain);
  const audit = [auditEntry(changer.actor, 'organization.domain_lost', { organization_id: id, domain })];
  const wasVerified = await withLockedOrganization(app, changer, id, null, (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, PERMISSION);
    return removeOrganizationDomain(statements, id, domain, storedAudit(app, audit));
  });
  if (wasVerified === undefined) throw apiError('domainNotFound');
  if (wasVerified) logAudit(app, changer.requestId, audit);
  await app.joinDomains?.look();
}
