import { switchOrganization } from '../../db/active-organization.js';
import { findOwnOrganization } from '../../db/organizations.js';
import { logUnstoredAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { decideClaims, writeDecided } from '../sessions/decided-claims.js';
import { issueTokens, sessionBounds, type TokenResponse } from '../sessions/open.js';

/**
 * Makes another organization the active one of the caller's session, or none, and renews its tokens.
 * @param organizationId null: none
 * @throws ApiError organizationNotFound, sessionNotFound; of the hook
 */
export async function activateOrganization(
  app: App,
  client: Client,
  { user, sessionId }: UserCaller,
  organizationId: string | null,
): Promise<TokenResponse> {
  if (sessionId === null) throw apiError('sessionNotFound');
  const { userAgent, ip } = client;
  const wanted = { sessionId, userId: user.id, organizationId, bounds: sessionBounds(app), userAgent, ip };
  const switched = await writeDecided(
    app,
    (db) => switchOrganization(db, wanted),
    (planned) => decideClaims(app, client, planned, planned, 'token_refresh'),
  );
  if (switched === undefined) {
    const isMember =
      organizationId === null || (await findOwnOrganization(app.db, organizationId, user.id)) !== undefined;
    throw apiError(isMember ? 'sessionNotFound' : 'organizationNotFound', {}, { about: { userId: user.id } });
  }
  logUnstoredAudit(app, client.requestId, user, ['token_refreshed', 'token_revoked']);
  return issueTokens(app, switched);
}
