/** /ui/sign-out and what is shown after it. */

import type { BrowserAccount } from '../../db/pages.js';
import { html } from '../../html.js';
import { ApiError } from '../errors.js';
import { signOut } from '../sessions/open.js';
import { callerOf, forgetAccount } from './browser.js';
import { UNFINISHED } from './continue.js';
import { pageLink } from './form.js';
import type { Frame, View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

/** @param sessionId of the account; empty: all accounts of the browser */
export async function submitSignOut(visit: Visit, sessionId: string): Promise<PageOutcome> {
  const { accounts } = visit;
  const leaving = accounts.filter(({ session_id }) => sessionId === '' || session_id === sessionId);
  for (const account of leaving) await leave(visit, account);
  return { to: leaving.length < accounts.length ? pageLink(visit, 'sign-in') : `${visit.up}signed-out` };
}

async function leave(visit: Visit, account: BrowserAccount): Promise<void> {
  try {
    await signOut(visit.app, visit.client, await callerOf(visit.app, account, UNFINISHED), 'local');
  } catch (error) {
    // The session may end in the meantime.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  }
  await forgetAccount(visit, account.session_id);
}

export function showSignedOut({ words }: Pick<Frame, 'words'>): View {
  const title = words('signed_out.title');
  const main = html`<h1>${title}</h1>
<p>${words('signed_out.text')}</p>
<p><a class="button" href="sign-in">${words('signed_out.again')}</a></p>
<p><a href="account">${words('chooser.manage')}</a></p>`;
  return { title, main };
}
