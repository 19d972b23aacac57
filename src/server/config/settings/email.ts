import {
  hasSwitch,
  isNoticeKind,
  type MailKind,
  mailRow,
  type NoticeKind,
  noticeName,
  pathKindOf,
} from '../../message-kinds.js';
import type { Section, Setting } from './setting.js';

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
    doc: 'Admits users with an unconfirmed email address; cannot be combined with MAILER_AUTOCONFIRM.',
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
  mailerNotificationsAdminChanges: {
    variable: 'MAILER_NOTIFICATIONS_ADMIN_CHANGES',
    kind: 'bool',
    default: 'false',
    doc: 'Changes that an administrator makes are notified, too, as far as their kind is enabled.',
    example: 'true',
  },
  mailerNotificationsUndoExpSeconds: {
    variable: 'MAILER_NOTIFICATIONS_UNDO_EXP',
    kind: 'duration',
    default: '72h',
    doc: 'How long the link in the notice of a new address takes the old one back; 0: the notice has no link.',
    example: '24h',
  },
  mailerEmailValidationExtended: {
    variable: 'MAILER_EMAIL_VALIDATION_EXTENDED',
    kind: 'bool',
    default: 'false',
    doc: 'Refuses mails to placeholder addresses, reserved domains, and domains that the DNS says get no mail.',
    example: 'true',
  },
  mailerEmailValidationBlockedMx: {
    variable: 'MAILER_EMAIL_VALIDATION_BLOCKED_MX',
    kind: 'text',
    default: '[]',
    pattern: /^\s*\[\s*(?:"[A-Za-z0-9._-]+"\s*(?:,\s*"[A-Za-z0-9._-]+"\s*)*)?\]\s*$/,
    patternInWords: 'must be a JSON array of host names',
    doc: 'Mail exchangers whose domains are refused, as a JSON array; needs MAILER_EMAIL_VALIDATION_EXTENDED.',
    example: '["mx.example.com"]',
  },
  mailerEmailValidationServiceUrl: {
    variable: 'MAILER_EMAIL_VALIDATION_SERVICE_URL',
    ofOwners: true,
    kind: 'url',
    default: '',
    doc: 'Service that gets {"email"} by POST before a mail, and refuses an address by {"valid":false}.',
    example: 'https://check.example.com/email',
  },
  mailerEmailValidationServiceHeaders: {
    variable: 'MAILER_EMAIL_VALIDATION_SERVICE_HEADERS',
    kind: 'headers',
    default: '{}',
    secret: true,
    doc: 'Headers of calls to that service, as JSON.',
    example: '{"Authorization":["Bearer SECRET"]}',
  },
  mailerConfirmPage: {
    variable: 'MAILER_CONFIRM_PAGE',
    kind: 'bool',
    default: 'false',
    doc: 'Links in mails open a page with a button, so that mail scanners cannot use them up.',
    example: 'true',
  },
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
  mailerTemplateReloadingEnabled: {
    variable: 'MAILER_TEMPLATE_RELOADING_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Fetches mail templates again in the background, so that no mail waits for them; a failed fetch keeps the copy before.',
    example: 'true',
  },
  mailerTemplateReloadingMaxIdleSeconds: {
    variable: 'MAILER_TEMPLATE_RELOADING_MAX_IDLE',
    kind: 'duration',
    default: '20m',
    doc: 'How long after its last mail a template is still fetched again in the background.',
    example: '1h',
  },
} as const satisfies Section;

/** The rows of one kind of mail; one without a path of its own has no urlPath. */
export function mailSettings(kind: MailKind): Section {
  const { inWords, subject } = mailRow(kind);
  const mail = isNoticeKind(kind) ? inWords : `${inWords} mail`;
  const variable = (field: string) => `MAILER_${field}_${kind.toUpperCase()}`;
  const urlPath: Setting = {
    variable: variable('URLPATHS'),
    kind: 'text',
    default: '/verify',
    doc: `Path of the link in ${mail}.`,
    example: '/auth/verify',
  };
  return {
    subject: {
      variable: variable('SUBJECTS'),
      kind: 'text',
      default: subject,
      pattern: /^[^\0\r\n]*$/,
      patternInWords: 'must be one line',
      doc: `Subject of ${mail}; may use the variables of the templates.`,
      example: subject,
    },
    template: {
      variable: variable('TEMPLATES'),
      // A preview shows what the server reads there, also on its own machine.
      ofOwners: true,
      kind: 'text',
      default: '',
      doc: `URL of the HTML template of ${mail}, or a path below SITE_URL; empty means the built-in one.`,
      example: `https://app.example.com/mail/${kind.replaceAll('_', '-')}.html`,
    },
    contents: {
      variable: variable('CONTENTS'),
      kind: 'mailContents',
      default: '{}',
      doc: `Own words of ${mail} as JSON: language → {"subject", "body"}, \`default\` for all other languages; comes before SUBJECTS and TEMPLATES. The language is user_metadata.locale or .language.`,
      example: '{"default":{"subject":"Hello"},"de":{"subject":"Hallo","body":"<p>Hallo {{ .Email }}</p>"}}',
    },
    ...(pathKindOf(kind) === kind && { urlPath }),
    ...(isNoticeKind(kind) && hasSwitch(kind) && { enabled: noticeSwitch(kind) }),
  };
}

const noticeSwitch = (kind: NoticeKind): Setting => ({
  variable: `MAILER_NOTIFICATIONS_${noticeName(kind)}_ENABLED`,
  kind: 'bool',
  default: 'false',
  doc: `Sends users ${mailRow(kind).inWords}.`,
  example: 'true',
});
