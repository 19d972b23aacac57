import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { type EndedSsoSession, endOwnSession, endSessions, type LogoutScope } from '../../db/log-outs.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import { insertSession, type OpenSessionInput, type OwnedSession, type SessionBounds } from '../../db/sessions.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { viewUser } from '../accounts/user-view.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import type { UserCaller } from './caller.js';
import { type SignedIn, signInWithClaims } from './decided-claims.js';
import { claimsOfOrganizations } from './organization-claims.js';
import { type RefreshToken, sealRefreshToken } from './refresh-token.js';
import { type RenderedClaims, renderClaims } from './token-claims.js';
import { endTrust } from './trusted-device.js';

/** RFC 6749 5.1, with the additions of supabase/auth. */
export interface TokenResponse {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  expires_at: number;
  refresh_token: string;
  user: Record<string, unknown>;
}

/** Claims of an access token that is valid from now on. */
export const renderSessionClaims = (app: App, { user, session }: Omit<OwnedSession, 'generation'>) =>
  renderClaims(user, session, app.config, Math.floor(Date.now() / 1000), claimsOfOrganizations(app, user, session));

/**
 * Signs an access token and completes it to a token response.
 * @param canWait as in CryptoPool.signJwt
 */
export async function signTokens(
  app: App,
  refreshToken: RefreshToken,
  { payload, exp, expiresIn }: RenderedClaims,
  canWait = false,
): Promise<Omit<TokenResponse, 'user'>> {
  return {
    access_token: await app.crypto.signJwt(payload, 'JWT', canWait),
    token_type: 'bearer',
    expires_in: expiresIn,
    expires_at: exp,
    refresh_token: sealRefreshToken(refreshToken, app.keys.refreshToken.current),
  };
}

/**
 * Signs and seals the tokens of a new session.
 * @param decided from signInWithClaims(); null: the usual claims
 */
export async function issueTokens(app: App, { row, decided }: SignedIn): Promise<TokenResponse> {
  const claims = decided ?? renderSessionClaims(app, { user: row, session: row });
  const refreshToken = { sessionId: row.session_id, generation: row.generation };
  return { ...(await signTokens(app, refreshToken, claims)), user: viewUser(row) };
}

/** Tokens as the parameters of a redirect. */
export const tokenParameters = (answer: TokenResponse): Readonly<Record<string, string>> => ({
  access_token: answer.access_token,
  expires_at: String(answer.expires_at),
  expires_in: String(answer.expires_in),
  refresh_token: answer.refresh_token,
  token_type: answer.token_type,
});

/** Renders a token response as JSON. */
export function renderTokens(answer: TokenResponse): string {
  const { access_token, token_type, expires_in, expires_at, refresh_token, ...rest } = answer;
  return `${renderHead(answer)},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Renders a token response in UTF-8.
 * @param user JSON of renderUser()
 */
export function renderTokensWithUser(tokens: Omit<TokenResponse, 'user'>, user: Uint8Array): Uint8Array {
  const head = `${renderHead(tokens)},"user":`;
  const bytes = Buffer.allocUnsafe(head.length + user.length + 1);
  bytes.write(head, 'latin1');
  bytes.set(user, head.length);
  bytes[bytes.length - 1] = 0x7d;
  return bytes;
}

/** The part before the user. It needs no escaping; JSON.stringify takes 1 µs more. */
function renderHead(tokens: Omit<TokenResponse, 'user'>): string {
  const { access_token, token_type, expires_in, expires_at, refresh_token } = tokens;
  return (
    `{"access_token":"${access_token}","token_type":"${token_type}","expires_in":${expires_in},` +
    `"expires_at":${expires_at},"refresh_token":"${refresh_token}"`
  );
}

/** @returns undefined when the account was banned, deleted or delayed, or its password changed, since it was read */
export async function openSession(
  app: App,
  client: Client,
  input: Pick<OpenSessionInput, 'userId' | 'checkedHash' | 'renewedHash' | 'method' | 'failureKey'> & {
    audit: readonly AuditEntry[];
  },
): Promise<TokenResponse | undefined> {
  const stored = { ...input, userAgent: client.userAgent, ip: client.ip, audit: storedAudit(app, input.audit) };
  const opened = await signInWithClaims(app, client, (db) => insertSession(db, stored));
  if (opened === undefined) return undefined;
  logAudit(app, client.requestId, input.audit);
  return issueTokens(app, opened);
}

/**
 * Ends sessions. Access tokens stay valid until they expire; changeAccess() rejects them (docs/decisions.md, Access
 * tokens after logout).
 * @returns the caller's session if it has ended and began at a company, where it goes on
 */
export async function signOut(
  app: App,
  client: Client,
  caller: UserCaller,
  scope: LogoutScope,
): Promise<EndedSsoSession | null> {
  const audit = [auditEntry(caller.user, 'logout')];
  // A token without a session ends all sessions.
  const effective = caller.sessionId === null ? 'global' : scope;
  const notices = await prepareNotices(app, client, [
    effective !== 'local' && { kind: 'sessions_revoked_notification', to: recipientOf(caller.user) },
  ]);
  const stored = storedAudit(app, audit);
  const ended =
    effective === 'local'
      ? await endOwnSession(app.db, caller.user.id, caller.sessionId!, stored)
      : await endMore(app, caller, effective, stored, notices);
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
  return ended;
}

const endMore = (
  app: App,
  { user, sessionId }: UserCaller,
  scope: 'global' | 'others',
  audit: readonly object[],
  notices: readonly MailInput[],
): Promise<EndedSsoSession | null> =>
  withLockedUser(app.db, user.id, async (statements) => {
    await endFlows(statements, user.id);
    if (scope === 'global') await endTrust(app, statements, user.id);
    const { others, sso } = await endSessions(statements, user.id, sessionId, scope, audit);
    if (others > 0) await insertMails(statements, user.id, notices);
    return sso;
  });

/** The configured limits of sessions (SEC-56). */
export function sessionBounds(app: Pick<App, 'config'>): SessionBounds {
  return {
    timeboxSeconds: app.config.sessionsTimeboxSeconds,
    inactivitySeconds: app.config.sessionsInactivityTimeoutSeconds,
    singlePerTag: app.config.sessionsSinglePerUser ? app.config.sessionsTags : null,
  };
}
