import type { Section } from './setting.js';

export const security = {
  updatePasswordRequireReauthentication: {
    variable: 'SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION',
    kind: 'bool',
    default: 'false',
    doc: 'A new password needs the nonce that /reauthenticate sends.',
    example: 'true',
  },
  securityManualLinkingEnabled: {
    variable: 'SECURITY_MANUAL_LINKING_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Lets a signed-in user add and remove identities.',
    example: 'true',
  },
  securityLoginThrottle: {
    variable: 'SECURITY_LOGIN_THROTTLE',
    kind: 'bool',
    default: 'true',
    doc: 'From the tenth wrong password in a row, an account must wait longer and longer between tries.',
    example: 'false',
  },
  securityCaptchaEnabled: {
    variable: 'SECURITY_CAPTCHA_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Requests that anybody may send must carry a captcha_token.',
    example: 'true',
  },
  securityCaptchaProvider: {
    variable: 'SECURITY_CAPTCHA_PROVIDER',
    kind: 'choice',
    choices: ['hcaptcha', 'turnstile'],
    default: 'hcaptcha',
    doc: 'Captcha service: hcaptcha or turnstile.',
    example: 'turnstile',
  },
  securityCaptchaSecret: {
    variable: 'SECURITY_CAPTCHA_SECRET',
    kind: 'text',
    default: '',
    secret: true,
    doc: 'Secret at the captcha service; needed when captcha is enabled.',
    example: 'SECRET',
  },
  securityCaptchaTimeoutSeconds: {
    variable: 'SECURITY_CAPTCHA_TIMEOUT',
    kind: 'duration',
    positive: true,
    default: '10s',
    doc: 'Longest time the captcha service may take; then the request is refused.',
    example: '5s',
  },
  securityCaptchaUrl: {
    variable: 'SECURITY_CAPTCHA_URL',
    kind: 'url',
    default: '',
    doc: 'Address of the verification call; empty means the public one of the service.',
    example: 'http://localhost:4020/siteverify',
  },
} as const satisfies Section;
