/** /ui/sign-out and what is shown after it. */

import type { EndedSsoSession } from '../../db/log-outs.js';
import type { BrowserAccount } from '../../db/pages.js';
import { html } from '../../html.js';
import { ApiError } from '../errors.js';
import { externalAddress } from '../redirects/locations.js';
import { beginSsoLogout } from '../saml/logout/begin-logout.js';
import { signOut } from '../sessions/open.js';
import { callerOf, forgetAccount } from './browser.js';
import { showHop, UNFINISHED } from './continue.js';
import { pageLink } from './form.js';
import type { Frame, View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

/** @param sessionId of the account; empty: all accounts of the browser */
export async function submitSignOut(visit: Visit, sessionId: string): Promise<PageOutcome> {
  const { accounts } = visit;
  const leaving = accounts.filter(({ session_id }) => sessionId === '' || session_id === sessionId);
  const ended: EndedSsoSession[] = [];
  for (const account of leaving) {
    const there = await leave(visit, account);
    if (there !== null) ended.push(there);
  }
  const isAnyLeft = leaving.length < accounts.length;
  const path = isAnyLeft ? `ui/sign-in?flow=${visit.flow.id}` : 'ui/signed-out';
  const away = visit.app.config.samlEnabled ? await leadThroughCompanies(visit, ended, path) : null;
  if (away !== null) return { view: showHop(visit, away) };
  return { to: isAnyLeft ? pageLink(visit, 'sign-in') : `${visit.up}signed-out` };
}

/** One company after the other ends its session; the last one leads back. @returns null: none of them has a log-out */
async function leadThroughCompanies(
  { app, flow }: Visit,
  ended: readonly EndedSsoSession[],
  path: string,
): Promise<string | null> {
  let away: string | null = null;
  for (const one of ended) {
    const redirectTo: string = away ?? externalAddress(app.config, path);
    away = (await beginSsoLogout(app, one, { redirectTo, pageFlowId: flow.id })) ?? away;
  }
  return away;
}

/** @returns the session at a company that has ended with it; null: none */
async function leave(visit: Visit, account: BrowserAccount): Promise<EndedSsoSession | null> {
  let ended: EndedSsoSession | null = null;
  try {
    ended = await signOut(visit.app, visit.client, await callerOf(visit.app, account, UNFINISHED), 'local');
  } catch (error) {
    // The session may end in the meantime.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  }
  await forgetAccount(visit, account.session_id);
  return ended;
}

export function showSignedOut({ words }: Pick<Frame, 'words'>): View {
  const title = words('signed_out.title');
  const main = html`<h1>${title}</h1>
<p>${words('signed_out.text')}</p>
<p><a class="button" href="sign-in">${words('signed_out.again')}</a></p>
<p><a href="account">${words('chooser.manage')}</a></p>`;
  return { title, main };
}
