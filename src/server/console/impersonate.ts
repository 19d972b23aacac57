/** An operator acts for a user (docs/decisions.md, Impersonation). */
import { randomUUID } from 'node:crypto';
import { withLockedUser } from '../../db/account-locks.js';
import { insertMails } from '../../db/outbox.js';
import { type ActingOperator, openActingSession } from '../../db/sessions.js';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { readUser } from '../admin/change-user.js';
import { type ApiError, apiError } from '../errors.js';
import { isNoticeDue, prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import type { AccessTokenClaims } from '../sessions/access-token.js';
import { decideClaims } from '../sessions/decided-claims.js';
import { isFactorMissing } from '../sessions/enforcement.js';
import { renderClaims } from '../sessions/token-claims.js';

const MAX_SECONDS = 900;
const METHOD = 'impersonation';

/** Key of app_metadata: true means that no operator acts for this user. */
export const OPT_OUT = 'no_impersonation';

/** @throws ApiError impersonationChoiceKept: who wants to act for a user does not decide for the user */
export function assertOptOutKept(change: Metadata | null | undefined): void {
  if (change && OPT_OUT in change) throw apiError('impersonationChoiceKept');
}

export interface Impersonation {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly expires_at: number;
  readonly session_id: string;
}

/**
 * Opens a session in which an operator acts for a user: an access token of at most 15 minutes, and no refresh token.
 * @throws ApiError userIdNotUuid, userNotFound, userNotImpersonable, userChangedMeanwhile, accessTokenTooLong; those of the hook
 */
export async function impersonateUser(
  app: App,
  client: Client,
  admin: Administrator,
  act: ActingOperator,
  pathId: string,
): Promise<Impersonation> {
  const user = await readUser(app, pathId);
  if (user.deleted_at !== null) throw apiError('userNotFound');
  const nowSeconds = Math.floor(Date.now() / 1000);
  const reason = whyNotImpersonable(app, user, nowSeconds);
  if (reason !== null) throw refused(reason);
  const lifeSeconds = Math.min(app.config.jwtExpiresInSeconds, MAX_SECONDS);
  const config = { ...app.config, jwtExpiresInSeconds: lifeSeconds };
  const amr = [{ method: METHOD, timestamp: nowSeconds }];
  const session = { session_id: randomUUID(), aal: 'aal1', amr, act };
  const claims =
    app.hooks.customAccessToken === null
      ? renderClaims(user, session, config, nowSeconds)
      : await decideClaims(
          { config, hooks: app.hooks, organizationRoles: app.organizationRoles },
          client,
          user,
          session,
          METHOD,
        );
  // The hook may give a role that the account does not have.
  if (isReservedRole(app, (JSON.parse(claims.payload) as AccessTokenClaims).role)) throw refused(RESERVED);
  const accessToken = await app.crypto.signJwt(claims.payload);

  const traits = { user_id: user.id, session_id: session.session_id, expires_in: claims.expiresIn };
  const audit = [auditEntry(adminActor(admin), 'user_impersonated', traits)];
  const notices = await prepareNotices(app, { requestId: client.requestId, isAdmin: true }, [
    { kind: 'impersonated_notification', to: recipientOf(user) },
  ]);
  const isOpened = await withLockedUser(app.db, user.id, async (statements) => {
    const opened = { id: session.session_id, userId: user.id, unchangedSince: user.updated_at, lifeSeconds, act };
    if (!(await openActingSession(statements, opened, storedAudit(app, audit)))) return false;
    await insertMails(statements, user.id, notices);
    return true;
  });
  if (!isOpened) throw apiError('userChangedMeanwhile');
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: claims.expiresIn,
    expires_at: claims.exp,
    session_id: session.session_id,
  };
}

/** What operators see before they ask. */
export const viewImpersonation = (app: Pick<App, 'config' | 'mail'>, user: UserRow) => ({
  refused: user.deleted_at === null ? whyNotImpersonable(app, user, Math.floor(Date.now() / 1000)) : 'it is deleted',
  notifies: isNoticeDue(app, 'impersonated_notification', recipientOf(user)),
});

/** @param user an account that is not deleted. @returns null: an operator may */
function whyNotImpersonable(app: Pick<App, 'config'>, user: UserRow, nowSeconds: number): string | null {
  if (user.app_metadata[OPT_OUT] === true) return 'the user has opted out';
  if (isReservedRole(app, user.role)) return RESERVED;
  const { banned_until: bannedUntil } = user;
  if (bannedUntil !== null && Date.parse(bannedUntil) > nowSeconds * 1000) return 'the user is banned';
  // Its token would be good for showing a second factor only, which the operator does not have.
  if (isFactorMissing(app.config, user, { aal: 'aal1' }, nowSeconds)) return 'its sessions need a second factor';
  return null;
}

const RESERVED = 'its role is that of administrators or services';

/** Whether a role is that of administrators or services, which operators neither act for nor give. */
export function isReservedRole({ config }: Pick<App, 'config'>, role: string | undefined): boolean {
  return role !== undefined && [...config.jwtAdminRoles, ...config.oauthServerMachineRoles].includes(role);
}

const refused = (reason: string): ApiError => apiError('userNotImpersonable', { reason });
