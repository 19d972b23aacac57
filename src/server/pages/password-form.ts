/** The form for a new password: within a sign-in, and on the account page. */
import { readPasswordHash } from '../../db/users.js';
import { html, type Markup } from '../../html.js';
import { needsCurrentPassword } from '../accounts/new-password.js';
import { updateOwnUser } from '../accounts/update-user.js';
import { sendNonce } from '../codes/reauthenticate.js';
import type { ApiError } from '../errors.js';
import type { UserCaller } from '../sessions/caller.js';
import { attributesOf, button, codeField, form, passwordField, UNCHECKED } from './form.js';
import { nameOfPerson } from './person.js';
import type { Visit } from './visit.js';

/** Which field an error is about. */
function wrongField(error: ApiError | null): 'current_password' | 'code' | 'password' | null {
  if (error === null) return null;
  if (error.errorCode === 'current_password_required' || error.errorCode === 'current_password_invalid') {
    return 'current_password';
  }
  return error.errorCode.startsWith('reauthentication') ? 'code' : 'password';
}

/** A code was asked for: by the form before, or by one that was refused since. */
const isCodeSent = ({ query, form: sent }: Visit): boolean => query.get('done') === 'sent' || sent.has('action');

/** What was done, which the page says after the redirect that follows the form. */
export const SENT = '&done=sent';

/**
 * Where a code is needed, it is asked for first: the fields are shown once it is on its way.
 * @param page that the form is sent to. @param hasFocus the person begins in the first field
 */
export async function newPasswordForm(
  visit: Visit,
  caller: UserCaller,
  page: string,
  hasFocus = false,
): Promise<Markup> {
  const { app, words, error } = visit;
  const { user } = caller;
  const wrong = wrongField(error);
  const needsCurrent = needsCurrentPassword(app, caller) && (await readPasswordHash(app.db, user.id)) !== null;
  const needsCode = app.config.updatePasswordRequireReauthentication;
  const address = nameOfPerson(visit, user);
  if (needsCode && !isCodeSent(visit)) {
    return html`<p>${words('password.code', { address })}</p>${form(visit, page, button(words('mfa.send'), 'send'))}`;
  }
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
${needsCode && codeField(words('profile.code', { address }), wrong === 'code')}
${
  needsCurrent &&
  passwordField(words, {
    name: 'current_password',
    label: words('password.current'),
    autocomplete: 'current-password',
    isWrong: wrong === 'current_password',
    isFirst: hasFocus && !needsCode,
  })
}
${passwordField(words, {
  name: 'password',
  label: words('common.new_password'),
  autocomplete: 'new-password',
  isWrong: wrong === 'password',
  isFirst: hasFocus && !needsCode && !needsCurrent,
  minLength: app.config.passwordMinLength,
})}
${button(words('password.submit'), 'save')}
${needsCode && button(words('code.resend'), 'send', UNCHECKED)}`,
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
