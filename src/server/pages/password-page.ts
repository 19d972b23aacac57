/** /ui/password: a new password, after a recovery or where the old one was leaked. */

import { notePasswordSet } from '../../db/pages.js';
import { html } from '../../html.js';
import { updateOwnUser } from '../accounts/update-user.js';
import { sendNonce } from '../codes/reauthenticate.js';
import { isLimitedToken } from '../sessions/caller.js';
import { accountOf, callerOf } from './browser.js';
import { findMissingStep, UNFINISHED } from './continue.js';
import { attributesOf, button, codeField, form, pageLink, passwordField, UNCHECKED } from './form.js';
import type { View } from './layout.js';
import type { PageOutcome } from './outcome.js';
import type { Visit } from './visit.js';

/** @throws ApiError those of {@link callerOf} */
export async function showPassword(visit: Visit): Promise<View | PageOutcome> {
  const { app, words, error } = visit;
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(app, account, UNFINISHED);
  if (findMissingStep(visit, caller) !== 'password') return { to: pageLink(visit, 'continue') };
  const isLeaked = isLimitedToken(caller.claims);
  const needsCurrent = app.config.updatePasswordRequireCurrentPassword && isLeaked;
  const needsCode = app.config.updatePasswordRequireReauthentication;
  // Password managers find by it which account the new password belongs to.
  const owner = html`<input${attributesOf({
    name: 'username',
    autocomplete: 'username',
    value: account.email ?? account.phone ?? '',
    hidden: true,
    readonly: true,
  })}>`;
  const main = html`<h1>${words('password.title')}</h1>
${isLeaked && error === null && html`<p class="alert" role="status">${words('notice.password_reset')}</p>`}
${form(
  visit,
  'password',
  html`${owner}
${needsCurrent && passwordField(words, 'current_password', words('password.current'), 'current-password')}
${passwordField(words, 'password', words('common.new_password'), 'new-password', error !== null)}
${needsCode && html`<p>${words('password.code')}</p>${codeField(words('code.field'))}`}
${button(words('password.submit'), 'save')}
${needsCode && button(words('mfa.send'), 'send', UNCHECKED)}`,
)}`;
  return { title: words('password.title'), main };
}

export interface PasswordForm {
  readonly action?: string;
  readonly code?: string;
  readonly password?: string;
  readonly current_password?: string;
}

/** @throws ApiError those of {@link updateOwnUser} and {@link sendNonce} */
export async function submitPassword(
  visit: Visit,
  { action, code = '', password = '', current_password }: PasswordForm,
): Promise<PageOutcome> {
  const { app, client, flow } = visit;
  const account = accountOf(visit);
  if (account === undefined) return { to: pageLink(visit, 'sign-in') };
  const caller = await callerOf(app, account, { callerMayBeLimited: true });
  if (action === 'send') {
    await sendNonce(app, client, caller);
    return { to: pageLink(visit, 'password') };
  }
  await updateOwnUser(app, client, caller, {
    password,
    currentPassword: current_password || null,
    email: null,
    phone: null,
    nonce: code.replace(/[\s-]/g, '') || null,
    data: null,
    appMetadata: null,
    channel: '',
    codeChallenge: '',
    codeChallengeMethod: '',
    redirectTo: app.config.siteUrl,
  });
  await notePasswordSet(app.db, flow.id);
  return { to: pageLink(visit, 'continue') };
}
