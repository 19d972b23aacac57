import { listOrganizationsOf } from '../../db/organizations.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { pageOf, readListLimit, readTimeCursor } from './list-cursor.js';
import { viewOrganization } from './view-organization.js';

/** GET /organizations. @throws ApiError organizationFieldInvalid */
export async function listOwnOrganizations(
  { db }: Pick<App, 'db'>,
  { user, sessionId }: UserCaller,
  query: ReadonlyMap<string, string>,
) {
  const limit = readListLimit(query);
  const found = await listOrganizationsOf(db, user.id, sessionId, readTimeCursor(query), limit + 1);
  const { rows, next_cursor } = pageOf(found, limit, ({ joined_at, id }) => [joined_at, id]);
  const organizations = rows.map((row) => ({
    ...viewOrganization(row),
    roles: row.roles,
    joined_at: row.joined_at,
    is_active: row.is_active,
  }));
  return { organizations, next_cursor };
}
