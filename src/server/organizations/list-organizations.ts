import { listOrganizationsOf } from '../../db/organizations.js';
import type { Database } from '../../db/types.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { readTimePage } from './list-cursor.js';
import { viewOrganization } from './view-organization.js';

/** The newest membership first. @param sessionId tells which is active; null: none is. @throws ApiError organizationFieldInvalid */
export const readMembershipPage = (
  db: Database,
  userId: string,
  sessionId: string | null,
  query: ReadonlyMap<string, string>,
) =>
  readTimePage(
    query,
    (place, count) => listOrganizationsOf(db, userId, sessionId, place, count),
    ({ joined_at, id }) => [joined_at, id],
  );

/** GET /organizations. @throws ApiError organizationFieldInvalid */
export async function listOwnOrganizations(
  { db }: Pick<App, 'db'>,
  { user, sessionId }: UserCaller,
  query: ReadonlyMap<string, string>,
) {
  const { rows, next_cursor } = await readMembershipPage(db, user.id, sessionId, query);
  const organizations = rows.map((row) => ({
    ...viewOrganization(row),
    roles: row.roles,
    joined_at: row.joined_at,
    is_active: row.is_active,
  }));
  return { organizations, next_cursor };
}
