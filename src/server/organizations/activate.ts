import { switchOrganization } from '../../db/active-organization.js';
import { findOwnOrganization } from '../../db/organizations.js';
import { rehearseWrite } from '../../db/rehearse.js';
import type { Database } from '../../db/types.js';
import type { SignedInRow } from '../../db/user-rows.js';
import { logUnstoredAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { decideClaims, type SignedIn } from '../sessions/decided-claims.js';
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
  const switched = await switchWithClaims(app, client, (db) => switchOrganization(db, wanted));
  if (switched === undefined) {
    const isMember =
      organizationId === null || (await findOwnOrganization(app.db, organizationId, user.id)) !== undefined;
    throw apiError(isMember ? 'sessionNotFound' : 'organizationNotFound', {}, { about: { userId: user.id } });
  }
  logUnstoredAudit(app, client.requestId, user, ['token_refreshed', 'token_revoked']);
  return issueTokens(app, switched);
}

/** A hook is asked before anything is written. */
async function switchWithClaims(
  app: App,
  client: Client,
  write: (db: Database) => Promise<SignedInRow | undefined>,
): Promise<SignedIn | undefined> {
  if (app.hooks.customAccessToken === null) {
    const row = await write(app.db);
    return row && { row, decided: null };
  }
  const planned = await rehearseWrite(app.db, write);
  if (planned === undefined) return undefined;
  const decided = await decideClaims(app, client, planned, planned, 'token_refresh');
  const row = await write(app.db);
  return row && { row, decided };
}
