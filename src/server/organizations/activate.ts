import { switchOrganization } from '../../db/active-organization.js';
import { findOwnOrganization } from '../../db/organizations.js';
import type { Statements } from '../../db/types.js';
import type { SignedInRow } from '../../db/user-rows.js';
import { logUnstoredAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { assertAdmits } from '../sessions/admission.js';
import type { UserCaller } from '../sessions/caller.js';
import { decideClaims, writeDecided } from '../sessions/decided-claims.js';
import { issueTokens, sessionBounds, type TokenResponse } from '../sessions/open.js';

/**
 * Makes another organization the active one of the caller's session, or none, and renews its tokens. Where it does not admit the
 * session, nothing is written.
 * @param organizationId null: none
 * @throws ApiError organizationNotFound, organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired, sessionNotFound;
 *   of the hook
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
  const enter = async (statements: Statements): Promise<SignedInRow | undefined> => {
    const row = await switchOrganization(statements, wanted, true);
    if (row !== undefined) assertAdmits(app, row, row);
    return row;
  };
  const switched = await writeDecided(
    app,
    // Most have no policies, and need no transaction.
    async (db) => {
      const row = await switchOrganization(db, wanted, false);
      return row !== undefined || organizationId === null ? row : db.transaction(enter);
    },
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
