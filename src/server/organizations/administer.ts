/** What administrators of the installation do to organizations. The rules about owners hold for them, too. */
import type { MemberRow } from '../../db/organization-members.js';
import { listOrganizations, type OrganizationRow, searchOrganizations } from '../../db/organizations.js';
import { readUuid } from '../../db/uuid.js';
import type { Administrator } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { addMember, DEFAULT_ROLES, readRoles } from './change-members.js';
import { addOrganization } from './create-organization.js';
import { readFoundPage, readTimePage } from './list-cursor.js';
import { readMembershipPage } from './list-organizations.js';
import { changerOfAdmin, readOrganizationId } from './locked-organization.js';
import { type GivenOrganization, readOrganizationFields } from './organization-fields.js';
import { viewOrganization } from './view-organization.js';

/** An organization as administrators see it. */
export const viewForAdmin = (row: OrganizationRow) => ({ ...viewOrganization(row), max_members: row.max_members });

/**
 * GET /admin/organizations: newest first, or with `search` those whose slug or name begins so.
 * @throws ApiError organizationFieldInvalid
 */
export async function listForAdmin({ db }: Pick<App, 'db'>, query: ReadonlyMap<string, string>) {
  const prefix = (query.get('search') ?? '').trim().toLowerCase().slice(0, 100);
  if (prefix !== '') {
    const { rows, next_cursor } = await readFoundPage(
      query,
      2,
      (place, count) => searchOrganizations(db, prefix, place, count),
      ({ id }) => id,
    );
    return { organizations: rows.map(viewForAdmin), next_cursor };
  }
  const { rows, next_cursor } = await readTimePage(
    query,
    (place, count) => listOrganizations(db, place, count),
    ({ created_at, id }) => [created_at, id],
  );
  return { organizations: rows.map(viewForAdmin), next_cursor };
}

/** GET /admin/users/{user_id}/organizations. @throws ApiError organizationFieldInvalid */
export async function listOfUserForAdmin({ db }: Pick<App, 'db'>, userId: string, query: ReadonlyMap<string, string>) {
  const { rows, next_cursor } = await readMembershipPage(db, userId, null, query);
  const organizations = rows.map((row) => {
    const { roles, joined_at, via } = row;
    return { ...viewForAdmin(row), roles, joined_at, via };
  });
  return { organizations, next_cursor };
}

/** @param field of the body. @throws ApiError organizationFieldInvalid */
function readGivenUser(field: string, text: string | undefined): string {
  const id = readUuid(text ?? '');
  if (id === null) throw apiError('organizationFieldInvalid', { reason: `${field} must be the id of a user` });
  return id;
}

/** @returns null: the setting counts. @throws ApiError organizationFieldInvalid */
export function readMaxMembers(given: number | undefined): number | null | undefined {
  if (given === undefined) return undefined;
  if (given >= -1 && given <= 10_000_000) return given === -1 ? null : given;
  throw apiError('organizationFieldInvalid', { reason: 'max_members must be from -1 to 10,000,000' });
}

/** What PUT changes; fields that are absent stay. @throws ApiError organizationFieldInvalid */
export function readAdminChanges(given: GivenOrganization & { readonly max_members?: number | undefined }) {
  const maxMembers = readMaxMembers(given.max_members);
  return { ...readOrganizationFields(given), ...(maxMembers !== undefined && { maxMembers }) };
}

/**
 * POST /admin/organizations.
 * @throws ApiError organizationFieldInvalid, and those of addOrganization()
 */
export async function createForAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  given: GivenOrganization & { readonly owner_id?: string | undefined; readonly max_members?: number | undefined },
): Promise<OrganizationRow> {
  const owner = { userId: readGivenUser('owner_id', given.owner_id), via: 'admin' } as const;
  const maxMembers = readMaxMembers(given.max_members) ?? null;
  return addOrganization(app, changerOfAdmin(admin, requestId), given, owner, maxMembers);
}

/** POST /admin/organizations/{id}/members: without an invitation. @throws ApiError organizationFieldInvalid, and those of addMember() */
export function addForAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
  given: { readonly user_id?: string | undefined; readonly roles?: readonly string[] | undefined },
): Promise<MemberRow> {
  const organizationId = readOrganizationId(pathId);
  const userId = readGivenUser('user_id', given.user_id);
  const roles = readRoles(given.roles ?? DEFAULT_ROLES);
  return addMember(app, changerOfAdmin(admin, requestId), { organizationId, userId, roles, via: 'admin' });
}
