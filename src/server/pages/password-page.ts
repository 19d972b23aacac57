/** /ui/password: a new password, after a recovery or where the old one was leaked. */

import { notePasswordSet } from '../../db/pages.js';
import { html } from '../../html.js';
import { isLimitedToken } from '../sessions/caller.js';
import { accountOf, callerOf } from './browser.js';
import { findMissingStep, UNFINISHED } from './continue.js';
import { pageLink } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import { newPasswordForm, type PasswordForm, SENT, sendPasswordForm } from './password-form.js';
import type { Visit } from './visit.js';

/** @throws ApiError those of {@link callerOf} */
export async function showPassword(visit: Visit): Promise<View | PageOutcome> {
  const { app, words, error, query } = visit;
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(app, account, UNFINISHED);
  if (findMissingStep(visit, caller) !== 'password') return { to: pageLink(visit, 'continue') };
  const main = html`<h1>${words('password.title')}</h1>
${isLimitedToken(caller.claims) && error === null && !query.has('done') && html`<p class="alert" role="status">${words('notice.password_reset')}</p>`}
${await newPasswordForm(visit, caller, 'password', true)}`;
  const notice = query.get('done') === 'sent' ? ('account.done_sent' as const) : undefined;
  return { title: words('password.title'), main, notice };
}

/** @throws ApiError those of {@link sendPasswordForm} */
export async function submitPassword(visit: Visit, sent: PasswordForm): Promise<PageOutcome> {
  const { app, flow } = visit;
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(app, account, { callerMayBeLimited: true });
  if ((await sendPasswordForm(visit, caller, sent)) === 'sent') return { to: pageLink(visit, 'password') + SENT };
  await notePasswordSet(app.db, flow.id);
  return { to: pageLink(visit, 'continue') };
}
