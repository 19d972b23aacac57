import type { Section } from './setting.js';

export const smtp = {
  smtpHost: {
    variable: 'SMTP_HOST',
    kind: 'text',
    default: '',
    doc: 'Mail server; while it is unset no mail is sent.',
    example: 'smtp.example.com',
  },
  smtpPort: {
    variable: 'SMTP_PORT',
    kind: 'int',
    min: 1,
    max: 65535,
    default: '587',
    doc: 'Port of the mail server; 465 means TLS from the start.',
    example: '465',
  },
  smtpUser: {
    variable: 'SMTP_USER',
    kind: 'text',
    default: '',
    doc: 'User name, if the mail server wants one.',
    example: 'mailer',
  },
  smtpPass: {
    variable: 'SMTP_PASS',
    kind: 'text',
    default: '',
    secret: true,
    doc: 'Password, if the mail server wants one.',
    example: 'PASSWORD',
  },
  smtpAdminEmail: {
    variable: 'SMTP_ADMIN_EMAIL',
    kind: 'text',
    default: '',
    pattern: /^[^\s@<>,"]+@[^\s@<>,"]+$/,
    patternInWords: 'must be one email address',
    doc: 'From address of all mails; needed when SMTP_HOST is set.',
    example: 'no-reply@example.com',
  },
  smtpSenderName: {
    variable: 'SMTP_SENDER_NAME',
    kind: 'text',
    default: '',
    pattern: /^[^\0\r\n]*$/,
    patternInWords: 'must be one line',
    doc: 'From name of all mails; unset: SMTP_ADMIN_EMAIL.',
    example: 'Example',
  },
  smtpMaxFrequencySeconds: {
    variable: 'SMTP_MAX_FREQUENCY',
    kind: 'duration',
    default: null,
    doc: 'Least time between two mails of one kind to one user; unset: 900 s for sign-up confirmations, 60 s for the others.',
    example: '60',
  },
  smtpHeaders: {
    variable: 'SMTP_HEADERS',
    kind: 'headers',
    default: '{}',
    doc: 'Headers added to every mail, as JSON; `$messageType` in a value becomes the kind of mail.',
    example: '{"X-Mail-Type":["$messageType"]}',
  },
  smtpLoggingEnabled: {
    variable: 'SMTP_LOGGING_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'One log line for every mail handed to the mail server.',
    example: 'true',
  },
} as const satisfies Section;

export const mailer = {
  mailerAutoconfirm: {
    variable: 'MAILER_AUTOCONFIRM',
    kind: 'bool',
    default: 'false',
    doc: 'Email addresses count as confirmed without a mail.',
    example: 'true',
  },
  mailerAllowUnverifiedEmailSignIns: {
    variable: 'MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS',
    kind: 'bool',
    default: 'false',
    doc: 'Lets users in whose email address is not confirmed yet; cannot be combined with MAILER_AUTOCONFIRM.',
    example: 'true',
  },
  mailerSecureEmailChangeEnabled: {
    variable: 'MAILER_SECURE_EMAIL_CHANGE_ENABLED',
    kind: 'bool',
    default: 'true',
    doc: 'A changed email address must be confirmed from the old and the new one.',
    example: 'false',
  },
  mailerOtpExpSeconds: {
    variable: 'MAILER_OTP_EXP',
    kind: 'duration',
    whole: true,
    positive: true,
    default: '86400',
    doc: 'How long a link or code sent by mail is valid.',
    example: '1h',
  },
  mailerOtpLength: {
    variable: 'MAILER_OTP_LENGTH',
    kind: 'int',
    default: '6',
    doc: 'Digits of a code sent by mail, 6 to 10.',
    example: '8',
  },
  mailerConfirmPage: {
    variable: 'MAILER_CONFIRM_PAGE',
    kind: 'bool',
    default: 'false',
    doc: 'Links in mails open a page with a button, so that mail scanners cannot use them up.',
    example: 'true',
  },
  mailerUrlpathsInvite: urlPath('INVITE', 'an invite'),
  mailerUrlpathsConfirmation: urlPath('CONFIRMATION', 'a sign-up confirmation'),
  mailerUrlpathsRecovery: urlPath('RECOVERY', 'a password recovery'),
  mailerUrlpathsEmailChange: urlPath('EMAIL_CHANGE', 'an email change'),
  mailerSubjectsInvite: subject('INVITE', 'an invite', 'You have been invited'),
  mailerSubjectsConfirmation: subject('CONFIRMATION', 'a sign-up confirmation', 'Confirm Your Signup'),
  mailerSubjectsRecovery: subject('RECOVERY', 'a password recovery', 'Reset Your Password'),
  mailerSubjectsMagicLink: subject('MAGIC_LINK', 'a magic link', 'Your Magic Link'),
  mailerSubjectsEmailChange: subject('EMAIL_CHANGE', 'an email change', 'Confirm Email Change'),
  mailerSubjectsReauthentication: subject('REAUTHENTICATION', 'a reauthentication', 'Confirm Reauthentication'),
  mailerTemplatesInvite: template('INVITE', 'an invite'),
  mailerTemplatesConfirmation: template('CONFIRMATION', 'a sign-up confirmation'),
  mailerTemplatesRecovery: template('RECOVERY', 'a password recovery'),
  mailerTemplatesMagicLink: template('MAGIC_LINK', 'a magic link'),
  mailerTemplatesEmailChange: template('EMAIL_CHANGE', 'an email change'),
  mailerTemplatesReauthentication: template('REAUTHENTICATION', 'a reauthentication'),
  mailerTemplateMaxSize: {
    variable: 'MAILER_TEMPLATE_MAX_SIZE',
    kind: 'int',
    min: 1,
    max: 1_048_576,
    default: '1000000',
    doc: 'Largest mail template that is used, in bytes, at most 1 MiB.',
    example: '100000',
  },
  mailerTemplateMaxAgeSeconds: {
    variable: 'MAILER_TEMPLATE_MAX_AGE',
    kind: 'duration',
    default: '10m',
    doc: 'How long a fetched mail template is used before it is fetched again.',
    example: '1h',
  },
  mailerTemplateRetryIntervalSeconds: {
    variable: 'MAILER_TEMPLATE_RETRY_INTERVAL',
    kind: 'duration',
    default: '10s',
    doc: 'Least time between two attempts to fetch a mail template.',
    example: '1m',
  },
} as const satisfies Section;

function urlPath(mail: string, inWords: string) {
  return {
    variable: `MAILER_URLPATHS_${mail}`,
    kind: 'text',
    default: '/verify',
    doc: `Path of the link in ${inWords} mail.`,
    example: '/auth/verify',
  } as const;
}

function subject(mail: string, inWords: string, text: string) {
  return {
    variable: `MAILER_SUBJECTS_${mail}`,
    kind: 'text',
    default: text,
    pattern: /^[^\0\r\n]*$/,
    patternInWords: 'must be one line',
    doc: `Subject of ${inWords} mail; may use the variables of the templates.`,
    example: text,
  } as const;
}

function template(mail: string, inWords: string) {
  return {
    variable: `MAILER_TEMPLATES_${mail}`,
    kind: 'text',
    default: '',
    doc: `URL of the HTML template of ${inWords} mail, or a path below SITE_URL; empty means the built-in one.`,
    example: `https://app.example.com/mail/${mail.toLowerCase().replaceAll('_', '-')}.html`,
  } as const;
}
