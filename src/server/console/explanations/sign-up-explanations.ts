import type { signUpEntries } from '../../errors/sign-up-errors.js';
import type { Explanations } from './check-names.js';

const pkceFault = 'The application has to send code_challenge and code_challenge_method as RFC 7636 says.';

export const signUpExplanations = {
  signupDisabled: ['sign_up', 'Create the user here, or switch sign-ups on.'],
  emailSignupDisabled: ['method', 'Sign-up by email is switched off.'],
  phoneSignupDisabled: ['method', 'Sign-up by phone is switched off.'],
  anonymousDisabled: ['method', 'Anonymous sign-ins are switched off.', 'AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED'],
  passwordRequired: ['password_rules', 'The form sent no password.'],
  passwordTooLong: ['password_rules', 'Choose a shorter password.'],
  weakPassword: [
    'password_rules',
    'Choose a better password: weak_password.reasons of the answer says why this one is not good enough.',
    'AUTH_PASSWORD_HIBP_ENABLED',
    'AUTH_PASSWORD_COMMON_LIST',
  ],
  leakCheckFailed: [
    'password_rules',
    'The list of leaked passwords could not be asked. `latchkey check passwords` tells why.',
    'AUTH_PASSWORD_HIBP_API_URL',
    'AUTH_PASSWORD_HIBP_FAIL_CLOSED',
  ],
  oneContactOnSignup: ['input', 'Send either email or phone.'],
  invalidChannel: ['input', 'channel is sms or whatsapp, and whatsapp needs Twilio.', 'AUTH_SMS_PROVIDER'],
  pkceForPhone: ['input', 'Leave code_challenge out of sign-ups by phone.'],
  pkceIncomplete: ['input', pkceFault],
  pkceChallengeLength: ['input', pkceFault],
  pkceChallengeCharacters: ['input', pkceFault],
  pkceMethod: ['input', pkceFault],
  emailRequired: ['input', 'Send an email address.'],
  emailTooLong: ['address', 'No address is that long.'],
  emailInvalid: ['address', 'The address has no valid form: look for spaces and typing errors.'],
  phoneInvalid: ['address', 'Numbers have the form of E.164: the country code, then digits.'],
  phoneAlreadyRegistered: ['duplicate', 'There is an account with this number: sign in instead.'],
  emailAlreadyRegistered: [
    'duplicate',
    'There is an account with this address: sign in instead, or reset the password.',
  ],
  accessTokenTooLong: ['input', 'Keep less in user_metadata and app_metadata: they are part of each access token.'],
  tooSoonForEmail: ['quota', 'A mail was sent to this address a moment ago. Wait, and look into the spam folder.'],
  tooSoonForSms: ['quota', 'A text was sent to this number a moment ago. Wait.'],

  overRequestRate: [
    'limit',
    'This client sent too many requests. If all clients seem to have one address, AUTH_RATE_LIMIT_HEADER names the wrong header.',
    'AUTH_RATE_LIMIT_TRUSTED_HOPS',
  ],
  overEmailQuota: ['quota', 'The server reached its limit of mails per hour: raise it, or look who causes them.'],
  overSmsQuota: ['quota', 'The server reached its limit of texts per hour: raise it, or look who causes them.'],
  signInThrottled: [
    'delay',
    'More than ten wrong passwords in a row for this address. It passes by itself; the right one resets it.',
  ],
  smsSendFailed: ['delivery', 'The gateway refused the text or cannot be reached. The log has its answer.'],
  smsProviderMissing: ['delivery', 'No SMS gateway is set up.'],
  captchaMissing: ['captcha', 'The application sent no captcha_token: it has to show the captcha.'],
  captchaFailed: [
    'captcha',
    'The captcha service refused the token: it was old or used, or the secret is of another site.',
    'AUTH_SECURITY_CAPTCHA_SECRET',
  ],
  captchaUnavailable: [
    'captcha',
    'The captcha service did not answer.',
    'AUTH_SECURITY_CAPTCHA_TIMEOUT',
    'AUTH_SECURITY_CAPTCHA_URL',
  ],
  emailAddressInvalid: [
    'address',
    'The domain takes no mail, or is blocked.',
    'AUTH_MAILER_EMAIL_VALIDATION_EXTENDED',
    'AUTH_MAILER_EMAIL_VALIDATION_BLOCKED_MX',
    'AUTH_MAILER_EMAIL_VALIDATION_SERVICE_URL',
  ],
  emailNotAuthorized: ['address', 'Only listed addresses get mails here.', 'AUTH_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES'],
} as const satisfies Explanations<typeof signUpEntries>;
