/** What administrators of the installation do to organizations. The rules about owners hold for them, too. */
import type { MemberRow } from '../../db/organization-members.js';
import {
  type FoundOrganizationPlace,
  listOrganizations,
  listOrganizationsOf,
  type OrganizationRow,
  searchOrganizations,
} from '../../db/organizations.js';
import { readUuid } from '../../db/uuid.js';
import type { Administrator } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { addMember, readRoles } from './change-members.js';
import { addOrganization } from './create-organization.js';
import { isId, pageOf, readListCursor, readListLimit, readTimeCursor } from './list-cursor.js';
import { changerOfAdmin, readOrganizationId } from './locked-organization.js';
import type { GivenOrganization } from './organization-fields.js';
import { viewOrganization } from './view-organization.js';

/** An organization as administrators see it. */
export const viewForAdmin = (row: OrganizationRow) => ({ ...viewOrganization(row), max_members: row.max_members });

/**
 * GET /admin/organizations: newest first, or with `search` those whose slug or name begins so.
 * @throws ApiError organizationFieldInvalid
 */
export async function listForAdmin({ db }: Pick<App, 'db'>, query: ReadonlyMap<string, string>) {
  const limit = readListLimit(query);
  const prefix = (query.get('search') ?? '').trim().toLowerCase().slice(0, 100);
  if (prefix !== '') {
    const found = await searchOrganizations(db, prefix, readFoundPlace(query), limit + 1);
    const { rows, next_cursor } = pageOf(found, limit, ({ part, key, id }) => [part, key, id]);
    return { organizations: rows.map(viewForAdmin), next_cursor };
  }
  const found = await listOrganizations(db, readTimeCursor(query), limit + 1);
  const { rows, next_cursor } = pageOf(found, limit, ({ created_at, id }) => [created_at, id]);
  return { organizations: rows.map(viewForAdmin), next_cursor };
}

function readFoundPlace(query: ReadonlyMap<string, string>): FoundOrganizationPlace | null {
  const parts = readListCursor(
    query,
    ([part, key, id, ...rest]) =>
      [1, 2].includes(part as number) && typeof key === 'string' && isId(id) && rest.length === 0,
  );
  return parts && { part: parts[0] as number, key: parts[1] as string, id: parts[2] as string };
}

/** GET /admin/users/{user_id}/organizations. @throws ApiError organizationFieldInvalid */
export async function listOfUserForAdmin({ db }: Pick<App, 'db'>, userId: string, query: ReadonlyMap<string, string>) {
  const limit = readListLimit(query);
  const found = await listOrganizationsOf(db, userId, null, readTimeCursor(query), limit + 1);
  const { rows, next_cursor } = pageOf(found, limit, ({ joined_at, id }) => [joined_at, id]);
  const organizations = rows.map((row) => {
    const { roles, joined_at, via } = row;
    return { ...viewForAdmin(row), roles, joined_at, via };
  });
  return { organizations, next_cursor };
}

/** @throws ApiError userIdNotUuid */
function readGivenUser(text: string | undefined): string {
  const id = readUuid(text ?? '');
  if (id === null) throw apiError('userIdNotUuid');
  return id;
}

/** @returns null: the setting counts. @throws ApiError organizationFieldInvalid */
export function readMaxMembers(given: number | undefined): number | null | undefined {
  if (given === undefined) return undefined;
  if (given >= -1 && given <= 10_000_000) return given === -1 ? null : given;
  throw apiError('organizationFieldInvalid', { reason: 'max_members must be from -1 to 10,000,000' });
}

/**
 * POST /admin/organizations.
 * @throws ApiError userIdNotUuid, userNotFound, and those of addOrganization()
 */
export async function createForAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  given: GivenOrganization & { readonly owner_id?: string | undefined; readonly max_members?: number | undefined },
): Promise<OrganizationRow> {
  const owner = { userId: readGivenUser(given.owner_id), via: 'admin' } as const;
  const maxMembers = readMaxMembers(given.max_members) ?? null;
  return addOrganization(app, changerOfAdmin(admin, requestId), given, owner, maxMembers);
}

/** POST /admin/organizations/{id}/members: without an invitation. @throws ApiError userIdNotUuid, and those of addMember() */
export function addForAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
  given: { readonly user_id?: string | undefined; readonly roles?: readonly string[] | undefined },
): Promise<MemberRow> {
  const organizationId = readOrganizationId(pathId);
  const userId = readGivenUser(given.user_id);
  const roles = readRoles(given.roles ?? ['member']);
  return addMember(app, changerOfAdmin(admin, requestId), { organizationId, userId, roles, via: 'admin' });
}
