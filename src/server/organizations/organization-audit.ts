/** The audit entries of one organization, as its members may see them. */
import { type AuditRow, readAuditOfOrganization } from '../../db/audit.js';
import { NIL_UUID } from '../../db/uuid.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { readOwnOrganization } from './change-organization.js';
import { readTimePage } from './list-cursor.js';

/** Of operators of the console, for the installation alone: who, in which request, and why. */
const OF_OPERATORS: readonly string[] = ['operator', 'request_id', 'reason'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * An entry without what is no business of an organization: where its members were, and who among the administrators of the
 * installation did something.
 * @param adminRoles AUTH_JWT_ADMIN_ROLES; no address or number of a user is one of them
 */
export function viewAuditOfOrganization({ id, payload, created_at }: AuditRow, adminRoles: readonly string[]) {
  const { actor_id, actor_username, action, log_type, traits } = payload;
  const given = (traits ?? {}) as Fields;
  const isOperator = given['operator'] !== undefined;
  const isAdministrator = isOperator || adminRoles.includes(String(actor_username));
  const actor = isAdministrator
    ? { actor_id: NIL_UUID, actor_username: 'administrator' }
    : { actor_id, actor_username, ...(payload['actor_name'] !== undefined && { actor_name: payload['actor_name'] }) };
  const shown = Object.entries(given).filter(([name]) => !isOperator || !OF_OPERATORS.includes(name));
  return { id, payload: { ...actor, action, log_type, traits: Object.fromEntries(shown) }, created_at };
}

/**
 * GET /organizations/{id}/audit, newest first.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid
 */
export async function readAuditOfOwn(app: App, caller: UserCaller, pathId: string, query: ReadonlyMap<string, string>) {
  const { id } = await readOwnOrganization(app, caller, pathId, 'audit:read');
  const { rows, next_cursor } = await readTimePage(
    query,
    (place, count) => readAuditOfOrganization(app.db, id, place, count),
    (row) => [row.created_at, row.id],
  );
  const { jwtAdminRoles } = app.config;
  return { entries: rows.map((row) => viewAuditOfOrganization(row, jwtAdminRoles)), next_cursor };
}
