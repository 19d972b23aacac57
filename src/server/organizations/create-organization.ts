import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import { findUserById } from '../../db/admin-users.js';
import { isUniqueViolation } from '../../db/errors.js';
import {
  countOwned,
  findOwnOrganization,
  insertOrganization,
  type NewOrganization,
  type OrganizationRow,
} from '../../db/organizations.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { type Changer, changerOfUser } from './locked-organization.js';
import { type GivenOrganization, proposeSlugs, readOrganizationFields } from './organization-fields.js';

/**
 * POST /organizations. The caller becomes its owner.
 * @throws ApiError organizationCreationDisabled, and those of {@link addOrganization}
 */
export async function createOrganization(
  app: App,
  requestId: string,
  caller: UserCaller,
  given: GivenOrganization,
): Promise<OrganizationRow> {
  assertMayCreateOrganization(app, caller);
  const owner = { userId: caller.user.id, via: 'creation' } as const;
  return addOrganization(app, changerOfUser(caller, requestId), given, owner, null);
}

/**
 * The same for a form that may be sent twice, by a double click or with Back: one organization is made of it.
 * @param id that the form proposes; one that is taken by something else is not used
 * @throws ApiError those of {@link createOrganization}
 */
export async function createOrganizationOnce(
  app: App,
  requestId: string,
  caller: UserCaller,
  given: GivenOrganization,
  id: string,
): Promise<Pick<OrganizationRow, 'id'>> {
  assertMayCreateOrganization(app, caller);
  const { name } = readOrganizationFields({ name: '', ...given });
  const owner = { userId: caller.user.id, via: 'creation' } as const;
  const add = (wanted?: string) => addOrganization(app, changerOfUser(caller, requestId), given, owner, null, wanted);
  const findMade = async () => {
    const found = await findOwnOrganization(app.db, id, caller.user.id);
    return found?.name === name ? found : undefined;
  };
  const made = await findMade();
  if (made !== undefined) return made;
  try {
    return await add(id);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return (await findMade()) ?? (await add());
  }
}

/** @throws ApiError organizationCreationDisabled */
export function assertMayCreateOrganization({ config }: Pick<App, 'config'>, { user }: Pick<UserCaller, 'user'>): void {
  const refuse = (reason: string) => apiError('organizationCreationDisabled', { reason });
  if (config.organizationsCreation === 'admin') throw refuse('Only administrators create organizations');
  const isConfirmed = user.email_confirmed_at !== null || user.phone_confirmed_at !== null;
  if (user.is_anonymous || !isConfirmed) throw refuse('Only users with a confirmed address create organizations');
}

/** How often slugs are proposed, since others who create one of the same name at the same time take them. */
const ATTEMPTS = 5;

/**
 * An organization with its owner. Concurrent ones of a user come one after another, so that the limit holds.
 * @param id of the new one
 * @throws ApiError organizationFieldInvalid, organizationSlugTaken, tooManyOrganizations, userNotFound,
 *   organizationCreationDisabled where the owner is anonymous
 */
export async function addOrganization(
  app: App,
  changer: Changer,
  given: GivenOrganization,
  owner: Owner,
  maxMembers: number | null,
  id: string = randomUUID(),
): Promise<OrganizationRow> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryAdd(app, changer, given, owner, maxMembers, id);
    } catch (error) {
      const isSlugTaken = error instanceof ApiError && error.entry === 'organizationSlugTaken';
      if (!isSlugTaken || given.slug !== undefined || attempt === ATTEMPTS) throw error;
    }
  }
}

interface Owner {
  readonly userId: string;
  readonly via: NewOrganization['via'];
}

async function tryAdd(
  app: App,
  { actor, requestId }: Changer,
  given: GivenOrganization,
  owner: Owner,
  maxMembers: number | null,
  id: string,
): Promise<OrganizationRow> {
  const { name, slug, logoUrl = null, metadata = {} } = readOrganizationFields({ name: '', ...given });
  const audit = [auditEntry(actor, 'organization.created', { organization_id: id, name, user_id: owner.userId })];
  const limit = app.config.organizationsMaxOwned;
  const row = await withLockedUser(app.db, owner.userId, async (statements) => {
    const user = await findUserById(statements, owner.userId);
    if (user === undefined || user.deleted_at !== null) throw apiError('userNotFound');
    if (user.is_anonymous) {
      throw apiError('organizationCreationDisabled', { reason: 'An anonymous user owns no organization' });
    }
    const slugs = slug === undefined ? proposeSlugs(name!) : [slug];
    const values = { id, name: name!, logoUrl, metadata, maxMembers, ownerId: owner.userId, via: owner.via };
    const added = await insertOrganization(statements, { ...values, slugs, maxOwned: limit }, storedAudit(app, audit));
    if (added !== undefined) return added;
    if ((await countOwned(statements, owner.userId)) >= limit) throw apiError('tooManyOrganizations', { limit });
    throw apiError('organizationSlugTaken');
  });
  logAudit(app, requestId, audit);
  return row;
}
