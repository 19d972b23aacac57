import type { factorEntries } from '../../errors/factor-errors.js';
import type { passkeyEntries } from '../../errors/passkey-errors.js';
import type { Explanations } from './check-names.js';

const verifyFirst = 'The user has a second factor: verify it in this session first.';
const wrongCode = 'The code was wrong. Check the time of the device that shows it.';
const newChallenge = 'Ask for another challenge, and answer it once and soon.';
const switchedOff = 'This kind of second factor is switched off.';

export const factorExplanations = {
  aalForCredentials: ['assurance', verifyFirst],
  aalForEnrolment: ['assurance', verifyFirst],
  aalForUnenrolment: ['assurance', verifyFirst],
  aalForPasskeys: ['assurance', verifyFirst],
  aalForRecoveryCodes: ['assurance', verifyFirst],
  aalForAccess: ['assurance', verifyFirst],
  aalForOrganization: ['assurance', verifyFirst],
  factorRequired: [
    'assurance',
    'Users need a second factor here: enrol and verify one first.',
    'AUTH_MFA_REQUIRED_GRACE',
  ],
  stepUpRequired: ['assurance', 'The second factor was verified too long ago: verify it again.'],
  factorTypeUnknown: ['input', 'factor_type is totp, phone or webauthn.'],
  totpEnrolmentOff: ['method', switchedOff, 'AUTH_MFA_TOTP_ENROLL_ENABLED'],
  phoneEnrolmentOff: ['method', switchedOff, 'AUTH_MFA_PHONE_ENROLL_ENABLED'],
  webauthnEnrolmentOff: ['method', switchedOff, 'AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED'],
  totpVerificationOff: ['method', switchedOff, 'AUTH_MFA_TOTP_VERIFY_ENABLED'],
  phoneVerificationOff: ['method', switchedOff, 'AUTH_MFA_PHONE_VERIFY_ENABLED'],
  webauthnVerificationOff: ['method', switchedOff, 'AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED'],
  issuerTooLong: ['input', 'Send a shorter issuer.'],
  factorPhoneRequired: ['input', 'Send the number of the factor.'],
  factorPhoneTaken: ['duplicate', 'The user has this factor already: remove it first.'],
  factorNameTaken: ['duplicate', 'The user has a factor of this name already.'],
  tooManyFactors: [
    'factor_limit',
    'Remove a factor first.',
    'AUTH_MFA_MAX_VERIFIED_FACTORS',
    'AUTH_MFA_MAX_ENROLLED_FACTORS',
  ],
  factorCodeEmpty: ['input', 'The form sent no code.'],
  challengeIdNotUuid: ['input', 'challenge_id is the id of the answer of /challenge.'],
  challengeNotFound: ['factor', newChallenge],
  challengeAddress: [
    'factor',
    'The client asked from one address and answered from another: networks of phones change it.',
    'AUTH_MFA_CHALLENGE_CHECK_ADDRESS',
  ],
  challengeExpired: ['factor', newChallenge, 'AUTH_MFA_CHALLENGE_EXPIRY_DURATION'],
  challengeUsed: ['factor', newChallenge],
  webauthnConfigRequired: ['input', 'Send the member webauthn.'],
  webauthnTypeInvalid: ['input', 'webauthn.type is create or request.'],
  webauthnResponseRequired: ['input', 'Send what the browser returned.'],
  factorResponseUnreadable: ['input', 'Send what the browser returned, unchanged.'],
  factorResponseFalse: [
    'factor',
    'The key answered another challenge, for another site, or is another one.',
    'AUTH_WEBAUTHN_RP_ORIGINS',
  ],
  factorCredentialTaken: ['duplicate', 'The key is registered already.'],
  totpCodeWrong: ['factor', wrongCode, 'AUTH_MFA_TOTP_SKEW'],
  factorAttemptRejected: [
    'hook',
    'Your hook for second factors refused this.',
    'AUTH_HOOK_MFA_VERIFICATION_ATTEMPT_URI',
  ],
  phoneCodeWrong: ['factor', 'The code was wrong or too old. Ask for another one.'],
  factorTextFailed: ['delivery', 'The text could not be sent. The log has the answer of the gateway.'],
  factorTextHookFailed: ['hook', 'The hook that sends texts failed.', 'AUTH_HOOK_SEND_SMS_URI'],
  factorThrottled: ['factor_limit', 'Too many wrong codes. It passes by itself.', 'AUTH_SECURITY_MFA_THROTTLE'],
  recoveryEnrolmentOff: ['method', switchedOff, 'AUTH_MFA_RECOVERY_CODES_ENROLL_ENABLED'],
  recoveryVerificationOff: ['method', switchedOff, 'AUTH_MFA_RECOVERY_CODES_VERIFY_ENABLED'],
  recoveryCodesMissing: ['object', 'The user has no recovery codes.'],
  recoveryCodesExist: ['duplicate', 'The user has recovery codes: replace them with regenerate.'],
  recoveryCodesAlone: ['factor_limit', 'Recovery codes need another second factor beside them.'],
  recoveryCodeWrong: ['factor', 'The code was wrong or was used before.'],
  recoveryCodesLocked: [
    'factor_limit',
    'Too many wrong recovery codes. It passes by itself.',
    'AUTH_MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS',
    'AUTH_MFA_RECOVERY_CODES_LOCKOUT_DURATION',
  ],
  soleRecoveryCodes: ['factor_limit', 'Recovery codes cannot remain alone: add another factor, or delete them, too.'],
  recoveryCodesElsewhere: ['endpoint', 'Recovery codes are deleted with DELETE /factors/recovery-codes.'],
} as const satisfies Explanations<typeof factorEntries>;

export const passkeyExplanations = {
  passkeyDisabled: ['switch', 'Passkeys are switched off.', 'AUTH_PASSKEY_ENABLED'],
  ssoPasskeys: ['permission', 'The identity provider manages how this user signs in.'],
  tooManyPasskeys: ['factor_limit', 'Remove a passkey first.', 'AUTH_PASSKEY_MAX_PASSKEYS_PER_USER'],
  passkeyChallengeRequired: ['input', 'Send challenge_id of the options.'],
  passkeyCredentialRequired: ['input', 'Send what the browser returned.'],
  passkeyChallengeNotUuid: ['input', 'Send challenge_id of the options, unchanged.'],
  webauthnChallengeNotFound: ['passkey', newChallenge],
  webauthnChallengeExpired: ['passkey', newChallenge, 'AUTH_WEBAUTHN_CHALLENGE_EXPIRY_DURATION'],
  webauthnResponseUnreadable: ['input', 'Send what the browser returned, unchanged.'],
  webauthnResponseFalse: [
    'passkey',
    'The passkey is unknown here, or the page has another origin than those listed. `latchkey check webauthn` tells more.',
  ],
  webauthnCredentialExists: ['duplicate', 'The passkey is registered already.'],
  passkeyEmailNotConfirmed: [
    'confirmed',
    'The address of the account is not confirmed. Confirm the user, or send the mail again.',
  ],
  passkeyPhoneNotConfirmed: ['confirmed', 'The number of the account is not confirmed.'],
  passkeyNotFound: ['object', 'The account has no such passkey.'],
  passkeyNameRequired: ['input', 'The form sent no name.'],
  passkeyNameTooLong: ['input', 'Send a shorter name.'],
} as const satisfies Explanations<typeof passkeyEntries>;
