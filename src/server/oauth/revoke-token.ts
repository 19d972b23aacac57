/** The revocation endpoint (RFC 7009). */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { endClientSession, revokeAccessTokens } from '../../db/oauth-sessions.js';
import { type Actor, auditEntry, logAudit, storedAudit, UNKNOWN_ACTOR } from '../accounts/audit.js';
import type { App } from '../app.js';
import { apiError } from '../errors.js';
import { issuedAt } from '../sessions/find-caller.js';
import { authenticateClient } from './client-authentication.js';
import type { TokenRequest } from './contract.js';
import { readPresentedToken } from './presented-token.js';

/**
 * A refresh token ends with its session, whatever its generation. An access token ends with those that its session got
 * before. A token that is unknown or another client's changes nothing, and the client does not learn of it.
 * @throws ApiError clientNotProven, oauthTokenMissing, machineTokenLasts
 */
export async function revokeToken(app: App, { client, presented, parameters }: TokenRequest): Promise<void> {
  const { client: oauthClient } = await authenticateClient(app, presented, false);
  const token = await readPresentedToken(app, parameters);
  if (token === undefined) return;
  if (token.kind === 'machine') return assertForeign(oauthClient, token.clientId);
  const { kind, sessionId } = token;
  const traits = { client_id: oauthClient.id, session_id: sessionId, token_type: `${kind}_token` };
  const entryOf = (user: Actor) => auditEntry(user, 'oauth_revoked', traits);
  const session = { id: sessionId, clientId: oauthClient.id };
  const stored = storedAudit(app, [entryOf(UNKNOWN_ACTOR)]);
  const user =
    token.kind === 'refresh'
      ? await endClientSession(app.db, session, stored)
      : await revokeAccessTokens(app.db, session, issuedAt(token.claims), stored);
  if (user !== undefined) logAudit(app, client.requestId, [entryOf(user)]);
}

/** A token of the client for itself has no session that could be marked (RFC 7009 2.2.1). @throws ApiError machineTokenLasts */
function assertForeign({ id }: OauthClientRow, ownerId: string): void {
  if (id === ownerId) throw apiError('machineTokenLasts');
}
