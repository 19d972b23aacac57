/**
 * The catalogue of API errors and their two body shapes. Statuses, codes and messages follow supabase/auth
 * (docs/decisions.md, Error bodies); entries that differ say so.
 */
import { ExpectedError } from '../expected-error.js';

export type ErrorCode = (typeof catalogue)[ErrorName][1];
export type ErrorName = keyof typeof catalogue;

/** name → [HTTP status, error_code, msg]. `<x>` in a message is a placeholder of {@link apiError}. */
export const catalogue = {
  // 400: the request cannot be understood
  badJson: [400, 'bad_json', 'Could not parse request body as JSON: <reason>'],
  badVerificationParams: [400, 'bad_json', 'Could not read verification params: <reason>'],
  malformedRequest: [400, 'validation_failed', 'Malformed HTTP request: <reason>'],
  invalidParameter: [400, 'validation_failed', '<reason>'],
  repeatedParameter: [400, 'validation_failed', 'Query parameter <name> may be given only once'],
  unsupportedGrantType: [400, 'invalid_credentials', 'unsupported_grant_type'],
  requestTooLarge: [413, 'request_entity_too_large', 'Request body too large (max <limit> bytes)'],
  headersTooLarge: [431, 'validation_failed', 'Request header fields too large'],
  bodyTimeout: [408, 'request_timeout', 'The request body did not arrive in time.'],
  notFound: [404, 'not_found', 'No such endpoint: <method> <path>'],
  methodNotAllowed: [405, 'method_not_allowed', 'Method <method> is not allowed here, use <allowed>'],

  // Who may call
  noAuthorization: [401, 'no_authorization', 'This endpoint requires a valid Bearer token'],
  badJwt: [403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature, <detail>'],
  missingSubject: [403, 'bad_jwt', 'invalid claim: missing sub claim'],
  subjectNotUuid: [400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
  sessionIdNotUuid: [403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID'],
  subjectNotFound: [403, 'user_not_found', 'User from sub claim in JWT does not exist'],
  sessionNotFound: [403, 'session_not_found', 'Session from session_id claim in JWT does not exist'],
  userBanned: [403, 'user_banned', 'User is banned'],
  notAdmin: [403, 'not_admin', 'User not allowed'],
  anonymousNotAllowed: [403, 'no_authorization', 'Anonymous user not allowed to perform these actions'],
  audienceNotAllowed: [400, 'validation_failed', 'The audience in X-JWT-AUD is not one of this server'],
  audienceMismatch: [400, 'validation_failed', "Token audience doesn't match request audience"],

  // Sign-up
  signupDisabled: [422, 'signup_disabled', 'Signups not allowed for this instance'],
  emailSignupDisabled: [400, 'email_provider_disabled', 'Email signups are disabled'],
  phoneSignupDisabled: [400, 'phone_provider_disabled', 'Phone signups are disabled'],
  anonymousDisabled: [422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'],
  passwordRequired: [400, 'validation_failed', 'Signup requires a valid password'],
  passwordTooLong: [400, 'validation_failed', 'Password cannot be longer than <max> characters'],
  weakPassword: [422, 'weak_password', '<messages>'],
  leakCheckFailed: [500, 'unexpected_failure', 'Unable to perform password strength check with HaveIBeenPwned.org.'],
  oneContactOnSignup: [400, 'validation_failed', 'Only an email address or phone number should be provided on signup.'],
  invalidChannel: [
    400,
    'validation_failed',
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  ],
  pkceForPhone: [400, 'validation_failed', 'PKCE not supported for phone signups'],
  pkceIncomplete: [400, 'validation_failed', 'PKCE flow requires code_challenge_method and code_challenge'],
  pkceChallengeLength: [400, 'validation_failed', 'code challenge has to be between 43 and 128 characters'],
  pkceChallengeCharacters: [
    400,
    'validation_failed',
    'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
  ],
  pkceMethod: [400, 'validation_failed', 'Invalid code_challenge_method'],
  emailRequired: [400, 'validation_failed', 'An email address is required'],
  emailTooLong: [400, 'validation_failed', 'An email address is too long'],
  emailInvalid: [400, 'validation_failed', 'Unable to validate email address: invalid format'],
  phoneInvalid: [400, 'validation_failed', 'Invalid phone number format (E.164 required)'],
  // 400 for a phone, 422 for an email: docs/decisions.md, Duplicate sign-ups.
  phoneAlreadyRegistered: [400, 'user_already_exists', 'User already registered'],
  emailAlreadyRegistered: [422, 'user_already_exists', 'User already registered'],
  accessTokenTooLong: [
    422,
    'validation_failed',
    'The access token would have <size> bytes, and at most <limit> are read: keep less in user_metadata and app_metadata',
  ],
  tooSoonForEmail: [
    429,
    'over_email_send_rate_limit',
    'For security purposes, you can only request this after <seconds> seconds.',
  ],
  tooSoonForSms: [
    429,
    'over_sms_send_rate_limit',
    'For security purposes, you can only request this after <seconds> seconds.',
  ],

  overRequestRate: [429, 'over_request_rate_limit', 'Request rate limit reached'],
  overEmailQuota: [429, 'over_email_send_rate_limit', 'email rate limit exceeded'],
  overSmsQuota: [429, 'over_sms_send_rate_limit', 'SMS rate limit exceeded'],
  signInThrottled: [
    429,
    'over_request_rate_limit',
    'Too many failed sign-ins to this account, retry after <seconds> seconds.',
  ],
  smsSendFailed: [422, 'sms_send_failed', 'Error sending <kind> OTP to provider: <reason>'],
  smsProviderMissing: [500, 'unexpected_failure', 'Unable to get SMS provider'],
  captchaMissing: [400, 'captcha_failed', 'captcha protection: request disallowed (no captcha_token found)'],
  captchaFailed: [400, 'captcha_failed', 'captcha protection: request disallowed (<reasons>)'],
  captchaUnavailable: [500, 'unexpected_failure', 'captcha verification process failed'],
  emailAddressInvalid: [400, 'email_address_invalid', 'Email address "<email>" is invalid'],
  emailNotAuthorized: [
    400,
    'email_address_not_authorized',
    'Email address "<email>" cannot be used as it is not authorized',
  ],

  // Second factors
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

  // Codes and links
  verifyTypeRequired: [400, 'validation_failed', 'Verify requires a verification type'],
  verifyTokenOrHash: [400, 'validation_failed', 'Verify requires either a token or a token hash'],
  verifyTokenRequired: [400, 'validation_failed', 'Verify requires a token or a token hash'],
  verifyOneContact: [400, 'validation_failed', 'Only an email address or phone number should be provided on verify'],
  verifyHashAlone: [400, 'validation_failed', 'Only the token_hash and type should be provided'],
  verifyEmailInvalid: [422, 'validation_failed', 'Invalid email format'],
  verifyEmailType: [400, 'validation_failed', 'Invalid email verification type'],
  verifyPasswordRequired: [
    422,
    'validation_failed',
    'This account has no password yet, so the verification must bring one',
  ],
  linkInvalid: [403, 'otp_expired', 'Email link is invalid or has expired'],
  codeInvalid: [403, 'otp_expired', 'Token has expired or is invalid'],
  otpOneContact: [400, 'validation_failed', 'Only an email address or phone number should be provided'],
  otpChannelWithEmail: [400, 'validation_failed', 'Channel should only be specified with Phone OTP'],
  otpContactMissing: [400, 'validation_failed', 'One of email or phone must be set'],
  otpDisabled: [422, 'otp_disabled', 'Signups not allowed for otp'],
  magicLinkDisabled: [422, 'email_provider_disabled', 'Login with magic link is disabled'],
  magicLinkEmailRequired: [422, 'validation_failed', 'Password recovery requires an email'],
  recoveryEmailRequired: [400, 'validation_failed', 'Password recovery requires an email'],
  emailLoginsDisabled: [400, 'email_provider_disabled', 'Email logins are disabled'],
  phoneProviderUnsupported: [400, 'phone_provider_disabled', 'Unsupported phone provider'],
  phoneLoginsDisabled: [400, 'phone_provider_disabled', 'Phone logins are disabled'],
  resendType: [400, 'validation_failed', 'Missing one of these types: signup, email_change, sms, phone_change'],
  resendEmailRequired: [400, 'validation_failed', 'Type provided requires an email address'],
  resendPhoneRequired: [400, 'validation_failed', 'Type provided requires a phone number'],
  resendOneContact: [400, 'validation_failed', 'Only an email address or phone number should be provided.'],
  resendContactMissing: [400, 'validation_failed', 'Missing email address or phone number'],
  reauthenticationContact: [
    400,
    'validation_failed',
    'Reauthentication requires the user to have an email or a phone number',
  ],
  reauthenticationEmail: [422, 'email_not_confirmed', 'Please verify your email first.'],
  reauthenticationPhone: [422, 'phone_not_confirmed', 'Please verify your phone first.'],
  pkceBothRequired: [400, 'validation_failed', 'invalid request: both auth code and code verifier should be non-empty'],
  flowStateNotFound: [404, 'flow_state_not_found', 'invalid flow state, no valid flow state found'],
  flowStateExpired: [422, 'flow_state_expired', 'invalid flow state, flow state has expired'],
  badCodeVerifier: [400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier'],

  // Sign-in
  oneContactOnLogin: [400, 'validation_failed', 'Only an email address or phone number should be provided on login.'],
  contactMissing: [400, 'validation_failed', 'missing email or phone'],
  emailLoginDisabled: [422, 'email_provider_disabled', 'Email logins are disabled'],
  phoneLoginDisabled: [422, 'phone_provider_disabled', 'Phone logins are disabled'],
  invalidLogin: [400, 'invalid_credentials', 'Invalid login credentials'],
  loginBanned: [400, 'user_banned', 'User is banned'],
  emailNotConfirmed: [400, 'email_not_confirmed', 'Email not confirmed'],
  phoneNotConfirmed: [400, 'phone_not_confirmed', 'Phone not confirmed'],

  // Passkeys
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

  // User and logout
  appMetadataNotAdmin: [403, 'not_admin', 'Updating app_metadata requires admin privileges'],
  anonymousPassword: [
    422,
    'validation_failed',
    'Updating password of an anonymous user without an email or phone is not allowed',
  ],
  ssoUserManaged: [422, 'user_sso_managed', 'Updating email, phone, password of a SSO account only possible via SSO'],
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
  unsupportedLogoutScope: [400, 'validation_failed', 'Unsupported logout scope "<scope>"'],

  // Hooks
  hookTimeout: [422, 'hook_timeout', 'Failed to reach hook within maximum time of <seconds> seconds'],
  hookUnreachable: [422, 'hook_timeout_after_retry', 'Failed to reach hook after maximum retries'],
  hookTooLarge: [422, 'hook_payload_over_size_limit', 'Payload size exceeded size limit of <limit> bytes'],
  hookContentType: [400, 'hook_payload_invalid_content_type', '<problem>'],
  hookBadJson: [500, 'unexpected_failure', 'Error unmarshaling JSON output.'],
  hookBadInput: [500, 'unexpected_failure', 'Invalid payload sent to hook'],
  hookUnauthorized: [500, 'unexpected_failure', 'Hook requires authorization token'],
  hookBadStatus: [500, 'unexpected_failure', 'Unexpected status code returned from hook: <status>'],
  hookUnavailable: [500, 'unexpected_failure', 'Service currently unavailable due to hook'],
  hookFailed: [500, 'unexpected_failure', 'Error running hook'],
  // 503 is our own: the hook is not called, since too many calls are in progress or the last ones failed.
  hookBusy: [503, 'service_unavailable', 'Service currently unavailable due to hook'],
  // The status is that of the hook's error object.
  hookRefused: [500, 'unexpected_failure', '<message>'],
  hookRefusedWith: [400, 'unknown', '<message>'],
  passwordAttemptRejected: [400, 'invalid_credentials', '<message>'],
  hookClaimsMissing: [500, 'unexpected_failure', 'output claims field is missing'],
  hookClaimsInvalid: [500, 'unexpected_failure', 'output claims do not conform to the expected schema: <reason>'],

  // Identity providers
  unsupportedProvider: [400, 'validation_failed', 'Unsupported provider: <reason>'],
  providerNotSupported: [400, 'oauth_provider_not_supported', 'Unsupported provider: <reason>'],
  invitedUserNotFound: [404, 'user_not_found', 'User identified by token not found'],
  stateMissing: [400, 'bad_oauth_callback', 'OAuth state parameter missing'],
  stateInvalid: [400, 'bad_oauth_state', 'OAuth state parameter is invalid'],
  stateNotFound: [400, 'bad_oauth_state', 'OAuth state not found or expired'],
  stateExpired: [400, 'bad_oauth_state', 'OAuth state has expired'],
  stateOfOtherBrowser: [400, 'bad_oauth_state', 'OAuth state was begun in another browser'],
  linkOfOtherBrowser: [
    400,
    'bad_oauth_state',
    'The link was begun in another browser, or by a script whose cookies were not kept: use PKCE there',
  ],
  linkNeedsPkce: [
    400,
    'validation_failed',
    'A script of another origin can only begin a link with PKCE: send code_challenge and code_challenge_method',
  ],
  stateUsed: [400, 'flow_state_already_used', 'State has already been used'],
  linkingTargetNotFound: [422, 'user_not_found', 'Linking target user not found'],
  providerUnavailable: [500, 'unexpected_failure', 'The identity provider cannot be reached right now, please retry'],
  callbackCodeMissing: [400, 'bad_oauth_callback', 'OAuth callback with missing authorization code missing'],
  requestTokenFailed: [500, 'unexpected_failure', 'Unable to retrieve request token'],
  accessTokenFailed: [500, 'unexpected_failure', 'Unable to retrieve access token'],
  codeExchangeFailed: [500, 'unexpected_failure', 'Unable to exchange external code: <code>'],
  providerProfileFailed: [500, 'unexpected_failure', 'Error getting user profile from external provider'],
  providerEmailMissing: [500, 'unexpected_failure', 'Error getting user email from external provider'],
  providerSubjectMissing: [500, 'unexpected_failure', 'error missing provider id'],
  providerEmailMailed: [
    422,
    'provider_email_needs_verification',
    'Unverified email with <provider>. A confirmation email has been sent to your <provider> email',
  ],
  providerEmailOwned: [
    422,
    'provider_email_needs_verification',
    'Unverified email with <provider>. Verify the email with <provider> in order to sign in',
  ],
  multipleAccounts: [
    500,
    'unexpected_failure',
    'Multiple accounts with the same email address in the same linking domain detected: <domain>',
  ],
  inviteNotFound: [404, 'invite_not_found', 'Invite not found'],
  invitedEmailMismatch: [400, 'validation_failed', 'Invited email does not match emails from external provider'],
  identityAlreadyLinked: [422, 'identity_already_exists', 'Identity is already linked'],
  identityOfOtherUser: [422, 'identity_already_exists', 'Identity is already linked to another user'],
  linkedEmailExists: [400, 'email_exists', 'A user with this email address has already been registered'],
  linkedEmailNotConfirmed: [
    422,
    'email_not_confirmed',
    'Unverified email with <provider>. A confirmation email has been sent to your <provider> email',
  ],
  manualLinkingDisabled: [404, 'manual_linking_disabled', 'Manual linking is disabled'],
  identityIdNotUuid: [404, 'validation_failed', 'identity_id must be an UUID'],
  lastIdentity: [422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking'],
  identityNotFound: [422, 'identity_not_found', "Identity doesn't exist"],
  identityEmailConflict: [
    422,
    'email_conflict_identity_not_deletable',
    'Unable to unlink identity due to email conflict',
  ],
  // The id_token grant: the body also says error and error_description (RFC 6749 5.2).
  idTokenRequest: [400, 'validation_failed', '<reason>'],
  idTokenNonce: [400, 'validation_failed', 'Nonces mismatch'],
  idTokenIssuer: [400, 'validation_failed', '<reason>'],
  idTokenProviderDisabled: [400, 'provider_disabled', 'Provider (issuer "<issuer>") is not enabled'],

  // Admin
  adminContactMissing: [400, 'validation_failed', 'Cannot create a user without either an email or phone'],
  phoneRegistered: [422, 'phone_exists', 'Phone number already registered by another user'],
  passwordOrHash: [400, 'validation_failed', 'Only a password or a password hash should be provided'],
  passwordHashUnusable: [
    400,
    'validation_failed',
    'The password hash cannot be used: bcrypt, argon2i, argon2id and Firebase scrypt are understood, at bounded cost',
  ],
  idNotUuid: [400, 'validation_failed', 'ID must conform to the uuid v4 format'],
  idNil: [400, 'validation_failed', 'ID cannot be a nil uuid'],
  idMismatch: [400, 'validation_failed', 'ID in the body must match the user_id in the path'],
  idTaken: [409, 'conflict', 'A user with this id already exists'],
  banDurationInvalid: [400, 'validation_failed', 'invalid format for ban duration: <detail>'],
  userIdNotUuid: [404, 'validation_failed', 'user_id must be an UUID'],
  userNotFound: [404, 'user_not_found', 'User not found'],
  factorIdNotUuid: [404, 'validation_failed', 'factor_id must be an UUID'],
  factorNotFound: [404, 'mfa_factor_not_found', 'Factor not found'],
  badPagination: [400, 'validation_failed', 'Bad Pagination Parameters: <reason>'],
  badSort: [400, 'validation_failed', 'Bad Sort Parameters: <reason>'],
  badFilter: [400, 'validation_failed', 'Bad Filter Parameters: <reason>'],
  queryScopeInvalid: [400, 'validation_failed', 'Invalid query scope: <query>'],
  linkTypeInvalid: [400, 'validation_failed', 'Invalid email action link type requested: <type>'],
  linkUserNotFound: [404, 'user_not_found', 'User with this email not found'],
  secureEmailChangeNeeded: [400, 'validation_failed', 'Enable secure email change to generate link for current email'],

  // Providers in the database
  customProvidersDisabled: [404, 'feature_disabled', 'Custom OAuth providers are disabled'],
  customProviderNotFound: [404, 'custom_provider_not_found', 'Custom OAuth provider not found'],
  customProviderExists: [400, 'conflict', 'A custom OAuth provider with this identifier already exists'],
  overCustomProviderQuota: [400, 'over_custom_provider_quota', 'Maximum number of custom OAuth/OIDC providers reached'],

  // Webhooks
  webhookNotFound: [404, 'webhook_not_found', 'Webhook not found'],
  webhookDeliveryNotFound: [404, 'webhook_delivery_not_found', 'There is no such delivery to this webhook'],
  webhookConfigured: [
    409,
    'conflict',
    'This webhook is in the configuration: change AUTH_WEBHOOKS_URL, AUTH_WEBHOOKS_EVENTS or AUTH_WEBHOOKS_SECRETS',
  ],

  // Internal
  unexpectedFailure: [500, 'unexpected_failure', 'Unexpected failure, please check server logs for more information'],
  requestTimeout: [503, 'request_timeout', 'Processing this request timed out, please retry after a moment.'],
  databaseUnavailable: [503, 'service_unavailable', 'The service is not available right now, please retry.'],
  overloaded: [503, 'service_unavailable', 'The server is busy, please retry.'],
  shuttingDown: [503, 'service_unavailable', 'The server is shutting down, please retry.'],
} as const satisfies Record<string, readonly [status: number, code: string, message: string]>;

/** An error for the client. Thrown by rules and guards, rendered by http/. */
export class ApiError extends ExpectedError {
  readonly status: number;
  readonly errorCode: ErrorCode;
  /** Seconds until a retry may work; becomes the Retry-After header (RFC 9110 10.2.3). */
  readonly retryAfterSeconds: number | undefined;
  /** Name of the limit that was reached, for the log. */
  readonly limit: string | undefined;
  /** Extra members of the body, e.g. `weak_password`. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  /** Extra response headers, e.g. Allow on a 405. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly entry: ErrorName;

  constructor(entry: ErrorName, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.entry = entry;
    this.name = 'ApiError';
    [this.status, this.errorCode] = catalogue[entry];
    this.status = options.status ?? this.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.limit = options.limit;
    this.extra = options.extra;
    this.headers = options.headers;
  }
}

export interface ApiErrorOptions {
  /** In place of the entry's status, for an error whose status a hook chose. */
  status?: number;
  retryAfterSeconds?: number;
  limit?: string;
  extra?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** Internal cause; logged, never sent. */
  cause?: unknown;
}

/**
 * Creates an error of the catalogue.
 * @param name the catalogue entry
 * @param values of the entry's `<placeholders>`
 */
export function apiError(
  name: ErrorName,
  values: Readonly<Record<string, string | number>> = {},
  options?: ApiErrorOptions,
): ApiError {
  const message = catalogue[name][2].replace(/<([a-z]+)>/g, (whole, key: string) => String(values[key] ?? whole));
  return new ApiError(name, message, options);
}

/**
 * Creates an error whose body also has the members of RFC 6749 5.2.
 * @param error value of `error`; supabase/auth also uses `invalid request` with a space
 */
export function oauthApiError(
  name: ErrorName,
  values: Readonly<Record<string, string | number>>,
  error: 'invalid_request' | 'invalid request' | 'invalid nonce',
  cause?: unknown,
): ApiError {
  const { message } = apiError(name, values);
  return new ApiError(name, message, { extra: { error, error_description: message }, cause });
}

/** Converts anything thrown to an ApiError. Lower layers identify their errors by `code`, never by status. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'DATABASE_UNAVAILABLE')
    return apiError('databaseUnavailable', {}, { retryAfterSeconds: 1, cause: error });
  if (code === 'POOL_EXHAUSTED' || code === 'CRYPTO_POOL_FULL') {
    const seconds = (error as { retryAfterSeconds?: number }).retryAfterSeconds ?? 1;
    return apiError('overloaded', {}, { retryAfterSeconds: seconds, cause: error });
  }
  return apiError('unexpectedFailure', {}, { cause: error });
}

/** First API version with string codes (docs/decisions.md, Error bodies). Later dates get the same shape. */
export const STRING_CODE_VERSION = '2024-01-01';

/**
 * The error shape of a request.
 * @param header value of X-Supabase-Api-Version, a date YYYY-MM-DD; anything else means the first shape
 */
export function negotiateVersion(header: string | undefined): typeof STRING_CODE_VERSION | undefined {
  if (header === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(header) || Number.isNaN(Date.parse(header))) return undefined;
  return header >= STRING_CODE_VERSION ? STRING_CODE_VERSION : undefined;
}

/**
 * The error body in the given shape.
 * @param requestId sent as `error_id` on 5xx of the first shape, so that an operator can find the log line
 */
export function errorBody(
  error: ApiError,
  version: typeof STRING_CODE_VERSION | undefined,
  requestId: string | undefined,
): Record<string, unknown> {
  if (version !== undefined) return { code: error.errorCode, message: error.message, ...error.extra };
  const body: Record<string, unknown> = {
    code: error.status,
    error_code: error.errorCode,
    msg: error.message,
    ...error.extra,
  };
  if (error.status >= 500 && requestId) body['error_id'] = requestId;
  return body;
}
