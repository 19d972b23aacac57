/** Second factors. */
import type { ErrorEntries } from './entry.js';

export const factorEntries = {
  aalForCredentials: [
    401,
    'insufficient_aal',
    'AAL2 session is required to update email or password when MFA is enabled.',
  ],
  aalForEnrolment: [403, 'insufficient_aal', 'AAL2 required to enroll a new factor'],
  aalForUnenrolment: [422, 'insufficient_aal', 'AAL2 required to unenroll verified factor'],
  aalForPasskeys: [403, 'insufficient_aal', 'AAL2 session is required to manage passkeys when MFA is enabled'],
  aalForRecoveryCodes: [403, 'insufficient_aal', 'AAL2 required to generate recovery codes'],
  // supabase/auth does not guard identities and trusted devices.
  aalForAccess: [403, 'insufficient_aal', 'AAL2 session is required to change how the account can be entered'],
  factorRequired: [403, 'mfa_required', 'Verify a second factor first'],
  stepUpRequired: [403, 'mfa_step_up_required', 'Verify a second factor again before this change'],
  factorTypeUnknown: [400, 'validation_failed', 'factor_type needs to be totp, phone, or webauthn'],
  totpEnrolmentOff: [422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP'],
  phoneEnrolmentOff: [422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone'],
  webauthnEnrolmentOff: [422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn'],
  totpVerificationOff: [422, 'mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP'],
  phoneVerificationOff: [422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone'],
  webauthnVerificationOff: [422, 'mfa_webauthn_verify_not_enabled', 'MFA verification is disabled for WebAuthn'],
  factorPhoneRequired: [400, 'validation_failed', 'Phone number required to enroll Phone factor'],
  factorPhoneTaken: [
    422,
    'mfa_verified_factor_exists',
    'A verified phone factor already exists, unenroll the existing factor to continue',
  ],
  factorNameTaken: [
    422,
    'mfa_factor_name_conflict',
    'A factor with the friendly name <name> for this user already exists',
  ],
  tooManyFactors: [
    422,
    'too_many_enrolled_mfa_factors',
    'Maximum number of verified factors reached, unenroll to continue',
  ],
  factorCodeEmpty: [400, 'validation_failed', 'Code needs to be non-empty'],
  challengeIdNotUuid: [400, 'bad_json', 'Could not parse request body as JSON: challenge_id must be an UUID'],
  challengeNotFound: [422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found'],
  challengeAddress: [422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'],
  challengeExpired: [
    422,
    'mfa_challenge_expired',
    'MFA challenge <id> has expired, verify against another challenge or create a new challenge.',
  ],
  challengeUsed: [
    422,
    'mfa_challenge_expired',
    'MFA challenge <id> has been used, verify against another challenge or create a new challenge.',
  ],
  totpCodeWrong: [422, 'mfa_verification_failed', 'Invalid TOTP code entered'],
  factorAttemptRejected: [403, 'mfa_verification_rejected', '<message>'],
  phoneCodeWrong: [422, 'mfa_verification_failed', 'Invalid MFA Phone code entered'],
  factorTextFailed: [500, 'unexpected_failure', 'error sending message'],
  factorTextHookFailed: [500, 'unexpected_failure', 'error invoking hook'],
  factorThrottled: [
    429,
    'over_request_rate_limit',
    'Too many failed verifications of second factors, retry after <seconds> seconds.',
  ],
  recoveryEnrolmentOff: [422, 'mfa_recovery_codes_enroll_not_enabled', 'MFA enroll is disabled for recovery codes'],
  recoveryVerificationOff: [
    422,
    'mfa_recovery_codes_verify_not_enabled',
    'MFA verification is disabled for recovery codes',
  ],
  recoveryCodesMissing: [404, 'mfa_factor_not_found', 'The user has not enrolled recovery codes'],
  recoveryCodesExist: [
    422,
    'mfa_verified_factor_exists',
    'Recovery codes are already enrolled for this user, use regenerate to rotate them',
  ],
  recoveryCodesAlone: [
    422,
    'mfa_recovery_codes_sole_factor',
    'At least one other verified factor is required to generate recovery codes',
  ],
  recoveryCodeWrong: [422, 'mfa_verification_failed', 'Invalid recovery code entered'],
  recoveryCodesLocked: [429, 'mfa_recovery_codes_locked', 'Too many failed verification attempts, try again later'],
  soleRecoveryCodes: [
    422,
    'mfa_recovery_codes_sole_factor',
    'Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling this one or delete your recovery codes.',
  ],
  recoveryCodesElsewhere: [
    422,
    'validation_failed',
    'Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes',
  ],
} as const satisfies ErrorEntries;
