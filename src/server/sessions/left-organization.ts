/** Access tokens that name an organization which their user has left, or was removed from, since (docs/organizations.md, In the token). */
import { findOwnOrganization } from '../../db/organizations.js';
import { MAX_LISTED_MEMBERSHIPS, type UserRow } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { CallerRules } from '../http/types.js';
import type { App } from '../runtime/app.js';
import type { AccessTokenClaims } from './access-token.js';

/** Nothing where AUTH_SESSIONS_CHECK_ACCESS_TOKEN is off. The hook cannot change org_id, so it is what the session acted for. */
export const namesOrganization = (
  { config }: Pick<App, 'config'>,
  claims: AccessTokenClaims,
  { callerMayHaveLeft }: CallerRules,
): boolean =>
  config.sessionsCheckAccessToken &&
  config.organizationsEnabled &&
  claims['org_id'] !== undefined &&
  callerMayHaveLeft !== true;

/**
 * The row of the account, which is there, lists the newest memberships. Only of a user with more is one looked up.
 * @throws ApiError notAMember
 */
export async function assertHasNotLeft(
  { db }: Pick<App, 'db'>,
  claims: AccessTokenClaims,
  { id, memberships }: Readonly<UserRow>,
): Promise<void> {
  const organizationId = readUuid(String(claims['org_id']));
  const listed = memberships ?? [];
  if (listed.some((membership) => membership.id === organizationId)) return;
  const mayBeMore = organizationId !== null && listed.length >= MAX_LISTED_MEMBERSHIPS;
  const isMember = mayBeMore && (await findOwnOrganization(db, organizationId, id)) !== undefined;
  if (!isMember) throw apiError('notAMember', {}, { about: { userId: id } });
}
