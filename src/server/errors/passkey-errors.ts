/** Passkeys. */
import type { ErrorEntries } from './entry.js';

export const passkeyEntries = {
  passkeyDisabled: [404, 'passkey_disabled', 'Passkeys are disabled'],
  ssoPasskeys: [422, 'validation_failed', 'SSO users cannot register passkeys'],
  tooManyPasskeys: [422, 'too_many_passkeys', 'Maximum number of passkeys reached'],
  passkeyChallengeRequired: [400, 'validation_failed', 'challenge_id is required'],
  passkeyCredentialRequired: [400, 'validation_failed', 'credential is required'],
  passkeyChallengeNotUuid: [400, 'validation_failed', 'challenge_id must be a valid UUID'],
  webauthnChallengeNotFound: [400, 'webauthn_challenge_not_found', 'Challenge not found or already used'],
  webauthnChallengeExpired: [400, 'webauthn_challenge_expired', 'Challenge has expired'],
  webauthnResponseUnreadable: [400, 'webauthn_verification_failed', 'Invalid credential response'],
  webauthnResponseFalse: [400, 'webauthn_verification_failed', 'Credential verification failed'],
  webauthnCredentialExists: [422, 'webauthn_credential_exists', 'This credential is already registered'],
  // 403, unlike emailNotConfirmed.
  passkeyEmailNotConfirmed: [403, 'email_not_confirmed', 'Email not confirmed'],
  passkeyPhoneNotConfirmed: [403, 'phone_not_confirmed', 'Phone not confirmed'],
  passkeyNotFound: [404, 'validation_failed', 'Passkey not found'],
  passkeyNameRequired: [400, 'validation_failed', 'friendly_name is required'],
  passkeyNameTooLong: [400, 'validation_failed', 'friendly_name must be 120 characters or less'],
} as const satisfies ErrorEntries;
