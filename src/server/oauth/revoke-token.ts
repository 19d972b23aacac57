/** The revocation endpoint (RFC 7009). */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { revokeMachineToken } from '../../db/oauth-machine.js';
import { endClientSession, revokeAccessTokens } from '../../db/oauth-sessions.js';
import { type Actor, auditEntry, logAudit, storedAudit, UNKNOWN_ACTOR } from '../accounts/audit.js';
import type { App, Client } from '../runtime/app.js';
import { issuedAt } from '../sessions/find-caller.js';
import { authenticateClient } from './client-authentication.js';
import type { TokenRequest } from './contract.js';
import { type PresentedToken, readPresentedToken } from './presented-token.js';

/**
 * A refresh token ends with its session, whatever its generation. An access token ends with those that its session got
 * before; one that a client has for itself, alone. A token that is unknown or another client's changes nothing, and the
 * client does not learn of it.
 * @throws ApiError clientNotProven, oauthTokenMissing
 */
export async function revokeToken(
  app: App,
  { client, presented, parameters }: Omit<TokenRequest, 'request'>,
): Promise<void> {
  const { client: oauthClient } = await authenticateClient(app, presented, false);
  const token = await readPresentedToken(app, parameters);
  if (token === undefined) return;
  if (token.kind === 'machine') return revokeOfMachine(app, client, oauthClient, token);
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

/** No session stands behind such a token, so its id is kept until it expires. Only introspection looks for it. */
async function revokeOfMachine(
  app: App,
  { requestId }: Client,
  { id, name }: OauthClientRow,
  { clientId, tokenId, claims: { exp = 0 } }: PresentedToken & { readonly kind: 'machine' },
): Promise<void> {
  if (clientId !== id) return;
  const traits = { client_id: id, token_id: tokenId, token_type: 'access_token' };
  const audit = [auditEntry({ id, email: name, phone: null }, 'oauth_revoked', traits)];
  if (await revokeMachineToken(app.db, tokenId, exp, storedAudit(app, audit))) logAudit(app, requestId, audit);
}
