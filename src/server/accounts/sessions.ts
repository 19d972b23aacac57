import { endFlows, withLockedUser } from '../../db/account-locks.js';
import {
  endSessions,
  insertSession,
  type LogoutScope,
  type OpenSessionInput,
  type OwnedSession,
  type SessionBounds,
} from '../../db/sessions.js';
import type { SignedInRow } from '../../db/users.js';
import type { App, Client } from '../app.js';
import { type AuditEntry, auditEntry, logAudit, storedAudit } from './audit.js';
import type { UserCaller } from './caller.js';
import { renderClaims } from './claims.js';
import { type RefreshToken, sealRefreshToken } from './refresh-token.js';
import { viewUser } from './user-view.js';

/** RFC 6749 5.1, with what the compatible peer adds (reference/core.md 4.2). */
export interface TokenResponse {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  expires_at: number;
  refresh_token: string;
  user: Record<string, unknown>;
}

/** The claims of an access token for a session, from now on. */
export const claimsOf = (app: App, { user, session }: Omit<OwnedSession, 'generation'>) =>
  renderClaims(user, session, app.config, Math.floor(Date.now() / 1000));

/**
 * Seals the refresh token of a session's generation, beside an access token that has been signed.
 * @param exp when that ends, in seconds since the epoch
 */
export function tokensOf(
  app: App,
  refreshToken: RefreshToken,
  accessToken: string,
  exp: number,
): Omit<TokenResponse, 'user'> {
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: app.config.jwtExpiresInSeconds,
    expires_at: exp,
    refresh_token: sealRefreshToken(refreshToken, app.keys.refreshToken.current),
  };
}

/** The answer to a sign-in. */
export async function issueTokens(app: App, row: SignedInRow): Promise<TokenResponse> {
  const { payload, exp } = claimsOf(app, { user: row, session: row });
  const accessToken = await app.crypto.signJwt(payload);
  const refreshToken = { sessionId: row.session_id, generation: row.generation };
  return { ...tokensOf(app, refreshToken, accessToken, exp), user: viewUser(row) };
}

/** As JSON text. */
export function renderTokens(answer: TokenResponse): string {
  const { access_token, token_type, expires_in, expires_at, refresh_token, ...rest } = answer;
  return `${renderHead(answer)},${JSON.stringify(rest).slice(1)}`;
}

/**
 * The same in UTF-8, for an account whose text is at hand.
 * @param user JSON, from renderUser()
 */
export function renderTokensOf(tokens: Omit<TokenResponse, 'user'>, user: Uint8Array): Uint8Array {
  const head = `${renderHead(tokens)},"user":`;
  const bytes = Buffer.allocUnsafe(head.length + user.length + 1);
  bytes.write(head, 'latin1');
  bytes.set(user, head.length);
  bytes[bytes.length - 1] = 0x7d;
  return bytes;
}

/** What comes before the user. Nothing in it has to be escaped, and JSON.stringify, which looks, takes 1 µs more. */
function renderHead(tokens: Omit<TokenResponse, 'user'>): string {
  const { access_token, token_type, expires_in, expires_at, refresh_token } = tokens;
  return (
    `{"access_token":"${access_token}","token_type":"${token_type}","expires_in":${expires_in},` +
    `"expires_at":${expires_at},"refresh_token":"${refresh_token}"`
  );
}

/** @returns undefined when the account was banned, deleted, delayed or given another password since it was read */
export async function openSession(
  app: App,
  client: Client,
  input: Pick<OpenSessionInput, 'userId' | 'checkedHash' | 'renewedHash' | 'method' | 'failureKey'> & {
    audit: readonly AuditEntry[];
  },
): Promise<TokenResponse | undefined> {
  const row = await insertSession(app.db, {
    ...input,
    userAgent: client.userAgent,
    ip: client.ip,
    audit: storedAudit(app, input.audit),
  });
  if (row === undefined) return undefined;
  logAudit(app, client.requestId, input.audit);
  return issueTokens(app, row);
}

/** Sign-out. Access tokens that are out go on reading until they expire; what they may no longer do: access-change.ts. */
export async function signOut(app: App, client: Client, caller: UserCaller, scope: LogoutScope): Promise<void> {
  const audit = [auditEntry(caller.user, 'logout')];
  // A token without a session can only mean all of them (reference/core.md 7.6).
  const effective = caller.sessionId === null ? 'global' : scope;
  await withLockedUser(app.db, caller.user.id, async (statements) => {
    if (effective !== 'local') await endFlows(statements, caller.user.id);
    await endSessions(statements, caller.user.id, caller.sessionId, effective, storedAudit(app, audit));
  });
  logAudit(app, client.requestId, audit);
}

/** The optional ends of a session, as settings say (SEC-56). */
export function sessionBounds(app: Pick<App, 'config'>): SessionBounds {
  return {
    timeboxSeconds: app.config.sessionsTimeboxSeconds,
    inactivitySeconds: app.config.sessionsInactivityTimeoutSeconds,
    singlePerTag: app.config.sessionsSinglePerUser ? app.config.sessionsTags : null,
  };
}
