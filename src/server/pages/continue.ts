/** What comes after a sign-in: what the session still lacks, then the end of the flow. */
import { randomUUID } from 'node:crypto';
import { issuePageCode, openSessionLike } from '../../db/pages.js';
import { html, type Markup } from '../../html.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { hashAuthCode } from '../codes/one-time.js';
import { apiError } from '../errors.js';
import { withFragment, withoutFragment, withQuery } from '../redirects/locations.js';
import { isLimitedToken, type UserCaller } from '../sessions/caller.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { isFactorMissing } from '../sessions/enforcement.js';
import { issueTokens, tokenParameters } from '../sessions/open.js';
import { hasVerifiedFactor } from '../sessions/verified-factor.js';
import { accountOf, callerOf } from './browser.js';
import { pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

/** A session that must do something first may still go on here. */
export const UNFINISHED = { callerMayBeLimited: true, callerMayBePending: true } as const;

/** GET /ui/continue. @throws ApiError those of the sign-in that ends the flow */
export async function goOn(visit: Visit): Promise<PageOutcome> {
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(visit.app, account, UNFINISHED);
  const missing = findMissingStep(visit, caller);
  return missing === null ? endFlow(visit, caller) : { to: pageLink(visit, missing) };
}

/** The page that the person has to visit first; null: none. */
export function findMissingStep(
  { app, flow }: Pick<Visit, 'app' | 'flow'>,
  caller: UserCaller,
): 'mfa' | 'password' | null {
  const aal = String(caller.claims['aal']);
  const nowSeconds = Math.floor(Date.now() / 1000);
  if ((aal === 'aal1' || flow.wants_factor) && hasVerifiedFactor(caller.user)) return 'mfa';
  if (isFactorMissing(app.config, caller.user, { aal }, nowSeconds)) return 'mfa';
  return isLimitedToken(caller.claims) || flow.wants_password ? 'password' : null;
}

/** @param section of the account page; empty: the overview */
export const accountPath = (section: string): string => (section === '' ? 'account' : `account/${section}`);

/** The sign-in is complete. */
async function endFlow(visit: Visit, caller: UserCaller): Promise<PageOutcome> {
  const { app, flow } = visit;
  switch (flow.kind) {
    case 'authorize':
      return { view: showHop(visit, await authorizedLocation(visit, caller)) };
    case 'consent':
    case 'device':
      return { to: pageLink(visit, flow.kind) };
    case 'manage':
      return { to: pageLink(visit, accountPath(flow.subject ?? '')) };
    case 'account':
      return { view: showHop(visit, app.redirects.choose([flow.redirect_to]).url) };
  }
}

/** Where the application gets the auth code (PKCE), or the tokens, as from a provider. */
async function authorizedLocation(visit: Visit, caller: UserCaller): Promise<string> {
  const { app, flow } = visit;
  // Checked again: URI_ALLOW_LIST may have changed since /authorize (SEC-34).
  const target = app.config.externalRedirectUrl || app.redirects.choose([flow.redirect_to]).url;
  if (flow.code_challenge !== null) {
    return withQuery(withoutFragment(target), { code: await issueCode(visit, caller, target) });
  }
  return withFragment(target, tokenParameters(await openForApplication(visit, caller)));
}

async function issueCode({ app, flow }: Visit, caller: UserCaller, redirectTo: string): Promise<string> {
  const code = randomUUID();
  const isIssued = await issuePageCode(app.db, {
    flowId: randomUUID(),
    userId: caller.user.id,
    sessionId: caller.sessionId!,
    codeHash: await hashAuthCode(app, code),
    challenge: flow.code_challenge!,
    method: flow.code_challenge_method!,
    redirectTo,
  });
  if (!isIssued) throw apiError('sessionNotFound');
  return code;
}

/** The application gets a session of its own: it may sign out without signing out of the pages. */
async function openForApplication({ app, client }: Visit, { user, sessionId }: UserCaller) {
  const audit = [auditEntry(user, 'login', { provider_type: 'pages' })];
  const source = { userId: user.id, sessionId: sessionId! };
  const opened = await signInWithClaims(app, client, (db) =>
    openSessionLike(db, source, client, storedAudit(app, audit)),
  );
  if (opened === undefined) throw apiError('sessionNotFound');
  logAudit(app, client.requestId, audit);
  return issueTokens(app, opened);
}

/** Host of an address; of an app on the device, the scheme. */
export function placeOf(location: string): string {
  const { host, protocol } = new URL(location);
  return host || protocol.replace(/:$/, '');
}

/**
 * The last page of a flow: the browser goes on by itself. A redirect would be stopped by the policy of the form before.
 * @param location absolute
 * @param below the link
 */
export function showHop({ words }: Pick<Visit, 'words'>, location: string, below: Markup | null = null): View {
  const place = { host: placeOf(location) };
  const main = html`<h1>${words('hop.title')}</h1>
<p>${words('hop.text', place)}</p>
<p><a class="button" href="${location}" rel="noreferrer">${words('hop.link', place)}</a></p>${below}`;
  return { title: words('hop.title'), main, onwardTo: location };
}
