/**
 * The browser of a person on the pages. Its cookie holds a secret; the database knows the hash of it and which sessions it
 * may use. A page without a cookie gives one out, which stores nothing until somebody signs in.
 */
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import {
  type BrowserAccount,
  chooseSession,
  findBrowserAccounts,
  forgetSession,
  rememberSession,
  useSessionInFlow,
} from '../../db/pages.js';
import { hashBrowserSecret, makeBrowserSecret } from '../external/flow-state.js';
import type { App } from '../runtime/app.js';
import { authenticateSession, type UserCaller } from '../sessions/caller.js';
import type { TokenResponse } from '../sessions/open.js';
import { openRefreshToken } from '../sessions/refresh-token.js';
import type { Visit } from './visit.js';

/** @param secretHash of the cookie. @returns the accounts that are signed in, the one in use first */
export function findAccounts(app: App, secretHash: string): Promise<readonly BrowserAccount[]> {
  const { config } = app;
  return findBrowserAccounts(app.db, secretHash, {
    unused: config.pagesSessionSeconds,
    timebox: config.sessionsTimeboxSeconds,
    inactivity: config.sessionsInactivityTimeoutSeconds,
  });
}

/**
 * The browser gets the session of a sign-in, and the flow goes on with it. The tokens themselves stay here.
 * @returns the new secret of the browser
 */
export async function keepSignIn(
  visit: Pick<Visit, 'app' | 'secretHash' | 'flow' | 'address'>,
  tokens: Pick<TokenResponse, 'refresh_token' | 'user'>,
): Promise<string> {
  const { app, flow } = visit;
  const session = openRefreshToken(tokens.refresh_token, [app.keys.refreshToken.current])!;
  const secret = makeBrowserSecret();
  const hashes = { former: visit.secretHash, next: hashBrowserSecret(secret) };
  await rememberSession(app.db, hashes, { id: session.sessionId, userId: String(tokens.user['id']) });
  await useSessionInFlow(app.db, flow.id, session.sessionId, visit.address.trim());
  return secret;
}

/** The person goes on with an account that is signed in. @returns false when it is not any more */
export async function chooseAccount(visit: Visit, sessionId: string): Promise<boolean> {
  if (!visit.accounts.some(({ session_id }) => session_id === sessionId)) return false;
  await chooseSession(visit.app.db, visit.secretHash, sessionId);
  await useSessionInFlow(visit.app.db, visit.flow.id, sessionId, '');
  return true;
}

export async function forgetAccount(visit: Visit, sessionId: string): Promise<void> {
  await forgetSession(visit.app.db, visit.secretHash, sessionId);
}

/** The account with which the flow goes on. */
export const accountOf = ({ accounts, flow }: Pick<Visit, 'accounts' | 'flow'>): BrowserAccount | undefined =>
  accounts.find(({ session_id }) => session_id === flow.session_id);

/**
 * The caller of an account of the browser, by the same rules as that of a bearer token.
 * @param admits callers beside the usual ones, as an endpoint would
 * @throws ApiError those of {@link authenticateSession}
 */
export function callerOf(
  app: App,
  { user_id: userId, session_id, aal, amr }: BrowserAccount,
  admits: Parameters<typeof authenticateSession>[2],
): Promise<UserCaller> {
  return authenticateSession(app, { userId, session: { session_id, aal, amr } }, admits);
}

/** Value of the hidden field of forms: it belongs to the browser and the flow. */
export const makeFormToken = (key: KeyObject, secretHash: string, flowId: string): string =>
  createHmac('sha256', key).update(`form ${secretHash} ${flowId}`).digest('base64url');

/** In constant time. */
export function isFormToken(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
