/** Sign-in and refresh. */
import type { ErrorEntries } from './entry.js';

export const signInEntries = {
  // Sign-in
  oneContactOnLogin: [400, 'validation_failed', 'Only an email address or phone number should be provided on login.'],
  contactMissing: [400, 'validation_failed', 'missing email or phone'],
  emailLoginDisabled: [422, 'email_provider_disabled', 'Email logins are disabled'],
  phoneLoginDisabled: [422, 'phone_provider_disabled', 'Phone logins are disabled'],
  invalidLogin: [400, 'invalid_credentials', 'Invalid login credentials'],
  loginBanned: [400, 'user_banned', 'User is banned'],
  emailNotConfirmed: [400, 'email_not_confirmed', 'Email not confirmed'],
  phoneNotConfirmed: [400, 'phone_not_confirmed', 'Phone not confirmed'],

  // Refresh
  refreshTokenRequired: [400, 'validation_failed', 'refresh_token required'],
  refreshTokenNotFound: [400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found'],
  refreshTokenAlreadyUsed: [400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used'],
  refreshUserBanned: [400, 'user_banned', 'Invalid Refresh Token: User Banned'],
  sessionExpired: [400, 'session_expired', 'Invalid Refresh Token: Session Expired'],
  sessionInactive: [400, 'session_expired', 'Invalid Refresh Token: Session Expired (Inactivity)'],
  sessionLowAal: [
    400,
    'session_expired',
    'Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
  ],
  sessionSuperseded: [400, 'session_expired', 'Invalid Refresh Token: Session Expired (Revoked by Newer Login)'],
} as const satisfies ErrorEntries;
