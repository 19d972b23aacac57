/** The form for a new password: within a sign-in, and on the account page. */
import { readPasswordHash } from '../../db/users.js';
import { html, type Markup } from '../../html.js';
import { needsCurrentPassword } from '../accounts/new-password.js';
import { updateOwnUser } from '../accounts/update-user.js';
import { sendNonce } from '../codes/reauthenticate.js';
import type { ApiError } from '../errors.js';
import type { UserCaller } from '../sessions/caller.js';
import { attributesOf, button, codeField, form, passwordField, UNCHECKED } from './form.js';
import type { Visit } from './visit.js';

/** Which field an error is about. */
function wrongField(error: ApiError | null): 'current_password' | 'code' | 'password' | null {
  if (error === null) return null;
  if (error.errorCode === 'current_password_required' || error.errorCode === 'current_password_invalid') {
    return 'current_password';
  }
  return error.errorCode.startsWith('reauthentication') ? 'code' : 'password';
}

/** @param page that the form is sent to */
export async function newPasswordForm(visit: Visit, caller: UserCaller, page: string): Promise<Markup> {
  const { app, words, error } = visit;
  const { user } = caller;
  const wrong = wrongField(error);
  const needsCurrent = needsCurrentPassword(app, caller) && (await readPasswordHash(app.db, user.id)) !== null;
  const needsCode = app.config.updatePasswordRequireReauthentication;
  // Password managers find by it which account the new password belongs to.
  const owner = html`<input${attributesOf({
    name: 'username',
    autocomplete: 'username',
    value: user.email ?? user.phone ?? '',
    hidden: true,
    readonly: true,
  })}>`;
  return form(
    visit,
    page,
    html`${owner}
${needsCurrent && passwordField(words, 'current_password', words('password.current'), 'current-password', wrong === 'current_password')}
${passwordField(words, 'password', words('common.new_password'), 'new-password', wrong === 'password')}
${needsCode && html`<p>${words('password.code')}</p>${codeField(words('code.field'), wrong === 'code')}`}
${button(words('password.submit'), 'save')}
${needsCode && button(words('mfa.send'), 'send', UNCHECKED)}`,
  );
}

export interface PasswordForm {
  readonly action?: string;
  readonly code?: string;
  readonly password?: string;
  readonly current_password?: string;
}

/**
 * @returns what was done: a code was sent, or the password is set
 * @throws ApiError those of {@link updateOwnUser} and {@link sendNonce}
 */
export async function sendPasswordForm(
  { app, client }: Visit,
  caller: UserCaller,
  { action, code = '', password = '', current_password }: PasswordForm,
): Promise<'sent' | 'saved'> {
  if (action === 'send') {
    await sendNonce(app, client, caller);
    return 'sent';
  }
  const nonce = code.replace(/[\s-]/g, '') || null;
  await updateOwnUser(app, client, caller, {
    ...NO_CHANGE,
    password,
    currentPassword: current_password || null,
    nonce,
    redirectTo: app.config.siteUrl,
  });
  return 'saved';
}

/** A change of the user that changes nothing yet. */
export const NO_CHANGE = {
  email: null,
  phone: null,
  password: null,
  currentPassword: null,
  nonce: null,
  data: null,
  appMetadata: null,
  channel: '',
  codeChallenge: '',
  codeChallengeMethod: '',
} as const;
