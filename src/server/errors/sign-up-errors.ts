/** Sign-up. */
import type { ErrorEntries } from './entry.js';

export const signUpEntries = {
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
} as const satisfies ErrorEntries;
