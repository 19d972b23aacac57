import type { signInEntries } from '../../errors/sign-in-errors.js';
import type { userEntries } from '../../errors/user-errors.js';
import type { Explanations } from './check-names.js';

export const signInExplanations = {
  oneContactOnLogin: ['input', 'Send either email or phone.'],
  contactMissing: ['input', 'Send email or phone with the password.'],
  emailLoginDisabled: ['method', 'Sign-in by email is switched off.', 'AUTH_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED'],
  phoneLoginDisabled: ['method', 'Sign-in by phone is switched off.'],
  invalidLogin: [
    'credentials',
    'Check the spelling of the address with the user, then send a link to set a new password.',
  ],
  loginBanned: [
    'ban',
    'The password was right, but an administrator banned this user. Lift the ban on the page of the user.',
  ],
  emailNotConfirmed: [
    'confirmed',
    'The password was right, but the user never followed the link of the confirmation. Send it again, or confirm the user.',
    'AUTH_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS',
  ],
  phoneNotConfirmed: [
    'confirmed',
    'The password was right, but the user never entered the code of the text. Send another one.',
  ],

  refreshTokenRequired: [
    'input',
    'The application sent no refresh token. It may have lost its session: sign in again.',
  ],
  refreshTokenNotFound: [
    'refresh_token',
    'The user has to sign in again. If all users do: the secret was changed, so no token of before is known.',
    'AUTH_JWT_SECRET',
    'AUTH_JWT_PREVIOUS_SECRETS',
  ],
  refreshTokenAlreadyUsed: [
    'reuse',
    'The user has to sign in again. If it happens often, the application refreshes in two places or does not store the new token.',
  ],
  refreshUserBanned: ['ban', 'An administrator banned this user. Lift the ban on the page of the user.'],
  sessionExpired: ['session', 'The session reached its maximum age. The user has to sign in again.'],
  sessionInactive: ['session', 'The session was not used for too long. The user has to sign in again.'],
  sessionLowAal: [
    'assurance',
    'The user has a second factor and did not verify it in time. Sign in again and verify it.',
    'AUTH_SESSIONS_ALLOW_LOW_AAL',
  ],
  sessionSuperseded: [
    'session',
    'The user signed in elsewhere, and only the newest session stays.',
    'AUTH_SESSIONS_TAGS',
  ],
} as const satisfies Explanations<typeof signInEntries>;

export const userExplanations = {
  appMetadataNotAdmin: ['permission', 'Users cannot change app_metadata. Change it here, or with a service key.'],
  anonymousPassword: ['input', 'Give the account an address before it gets a password.'],
  ssoUserManaged: ['permission', 'The identity provider manages this account: change it there.'],
  ssoLinking: ['permission', 'The person signs in at the company only: no other identity can be added.'],
  emailExists: ['duplicate', 'Another account has this address. Search for it: the person may have two accounts.'],
  phoneExists: ['duplicate', 'Another account has this number. Search for it: the person may have two accounts.'],
  samePassword: ['password_rules', 'The new password is the old one. Choose another.'],
  currentPasswordRequired: [
    'credentials',
    'The current password belongs to the request.',
    'AUTH_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD',
  ],
  currentPasswordInvalid: [
    'credentials',
    'The current password was wrong. Who forgot it can reset it by mail.',
    'AUTH_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD',
  ],
  passwordResetRequired: [
    'password_rules',
    'The password is in a list of leaked ones. The user has to set a new one first.',
    'AUTH_PASSWORD_LEAKED_ACTION',
  ],
  reauthenticationNeeded: [
    'code',
    'The session is old, so the change needs a code: ask for one with /reauthenticate.',
    'AUTH_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION',
  ],
  reauthenticationNotValid: ['code', 'The code was wrong, used or too old. Ask for another one.'],
  signInTooOld: ['session', 'Sign in again: this needs a recent sign-in.'],
  accountDeletionOff: [
    'permission',
    'Users cannot delete accounts here; you can.',
    'AUTH_PAGES_ACCOUNT_DELETION_ENABLED',
  ],
  accountNameDiffers: ['input', 'The user typed something else than the name of the account.'],
  unsupportedLogoutScope: ['input', 'scope is global, local or others.'],
} as const satisfies Explanations<typeof userEntries>;
