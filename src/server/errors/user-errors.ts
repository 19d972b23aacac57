/** Changes of the own account, and logout. */
import type { ErrorEntries } from './entry.js';

export const userEntries = {
  appMetadataNotAdmin: [403, 'not_admin', 'Updating app_metadata requires admin privileges'],
  anonymousPassword: [
    422,
    'validation_failed',
    'Updating password of an anonymous user without an email or phone is not allowed',
  ],
  ssoUserManaged: [422, 'user_sso_managed', 'Updating email, phone, password of a SSO account only possible via SSO'],
  // Ours: supabase/auth lets such accounts link.
  ssoLinking: [422, 'user_sso_managed', 'SSO users cannot link identities'],
  emailExists: [422, 'email_exists', 'A user with this email address has already been registered'],
  phoneExists: [422, 'phone_exists', 'A user with this phone number has already been registered'],
  samePassword: [422, 'same_password', 'New password should be different from the old password.'],
  currentPasswordRequired: [400, 'current_password_required', 'Current password required when setting new password.'],
  currentPasswordInvalid: [400, 'current_password_invalid', 'Current password required when setting new password.'],
  // Ours: AUTH_PASSWORD_LEAKED_ACTION=require_reset.
  passwordResetRequired: [
    403,
    'password_reset_required',
    'This password is known to attackers: set a new one before anything else',
  ],
  reauthenticationNeeded: [400, 'reauthentication_needed', 'Password update requires reauthentication'],
  reauthenticationNotValid: [422, 'reauthentication_not_valid', 'Nonce has expired or is invalid'],
  // Ours: the account page.
  signInTooOld: [403, 'reauthentication_needed', 'Sign in again to do this'],
  accountDeletionOff: [403, 'account_deletion_disabled', 'Users cannot delete their account here'],
  accountNameDiffers: [400, 'validation_failed', 'What was typed is not the name of the account'],
  unsupportedLogoutScope: [400, 'validation_failed', 'Unsupported logout scope "<scope>"'],
} as const satisfies ErrorEntries;
