/** A client signs a user out (OpenID Connect RP-Initiated Logout 1.0). */
import { withLockedUser } from '../../db/account-locks.js';
import { endClientSession, endClientSessionsOf } from '../../db/oauth-sessions.js';
import { type Actor, auditEntry, logAudit, storedAudit, UNKNOWN_ACTOR } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { clientIdOf } from './client-id.js';
import { mayLeadTo } from './client-identity.js';
import { readLogoutRequest } from './logout-request.js';
import type { TokenParameters } from './token-parameters.js';

const PASSED_ON = ['post_logout_redirect_uri', 'state'] as const;

/**
 * Ends the session that the hint names. Without one, a page asks the user, since any site can send a browser here.
 * @param requestId for the audit log
 * @returns where to send the browser
 * @throws ApiError logoutHintMissing, and those of {@link readLogoutRequest}
 */
export async function logOutByClient(
  app: App,
  requestId: string,
  parameters: Pick<TokenParameters, 'get'>,
): Promise<string> {
  const { client, sessionId, target } = await readLogoutRequest(app, parameters);
  const page = logoutPage(app, clientIdOf(client));
  if (sessionId !== null) {
    const hasEnded = await endSession(app, requestId, { id: sessionId, clientId: client.id });
    // Everybody can register a client, and sign in to it: a link with that ID token leads nowhere by itself.
    if (target !== null && (hasEnded || mayLeadTo(client, target))) return target;
    return page === null ? app.config.siteUrl : passOn(`${page}&done=true`, parameters);
  }
  if (page === null) throw apiError('logoutHintMissing');
  return passOn(page, parameters);
}

const passOn = (page: string, parameters: Pick<TokenParameters, 'get'>): string =>
  PASSED_ON.reduce((url, name) => {
    const value = parameters.get(name);
    return value === undefined ? url : `${url}&${name}=${encodeURIComponent(value)}`;
  }, page);

const logoutPage = ({ config }: App, clientId: string): string | null =>
  config.pagesEnabled
    ? `${config.apiExternalUrl.replace(/\/+$/, '')}/ui/logout?client_id=${encodeURIComponent(clientId)}`
    : null;

/** @returns false when it had ended before */
async function endSession(app: App, requestId: string, session: { id: string; clientId: string }): Promise<boolean> {
  const entryOf = (user: Actor) => auditEntry(user, 'logout', { client_id: session.clientId, session_id: session.id });
  const user = await endClientSession(app.db, session, storedAudit(app, [entryOf(UNKNOWN_ACTOR)]));
  if (user !== undefined) logAudit(app, requestId, [entryOf(user)]);
  return user !== undefined;
}

/** Ends all sessions that a client has of a user. @param requestId for the audit log */
export async function endSessionsOfClient(app: App, requestId: string, user: Actor, clientId: string): Promise<void> {
  const audit = [auditEntry(user, 'logout', { client_id: clientId })];
  const hadAny = await withLockedUser(app.db, user.id, (statements) =>
    endClientSessionsOf(statements, user.id, clientId, storedAudit(app, audit)),
  );
  if (hadAny) logAudit(app, requestId, audit);
}
