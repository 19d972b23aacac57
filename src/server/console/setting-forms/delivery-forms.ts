/** The forms of what leaves the server: mails, texts, hooks. */
import { hookNames } from '../../config/settings.js';
import { type Form, type FormGroup, single } from './setting-form.js';

const gateway = (title: string): FormGroup => ({
  title,
  beginnings: [`SMS_${title.toUpperCase()}_`],
  isFolded: true,
});

export const smsForm: Form = single(
  {
    title: 'Gateway',
    settings: { SMS_PROVIDER: 'Gateway' },
    sections: ['Phone'],
  },
  gateway('Twilio'),
  gateway('MessageBird'),
  gateway('Textlocal'),
  gateway('Vonage'),
  {
    title: 'Codes',
    settings: {
      SMS_TEMPLATE: 'Text of the message',
      SMS_OTP_LENGTH: 'Digits of a code',
      SMS_OTP_EXP: 'Codes are valid for',
      SMS_MAX_FREQUENCY: 'Time between two messages',
    },
  },
  {
    title: 'Fixed codes for tests',
    settings: { SMS_TEST_OTP: 'Numbers with their codes', SMS_TEST_OTP_VALID_UNTIL: 'They work until' },
    isFolded: true,
  },
  {
    title: 'Notices',
    about: 'Sent to the number of users without a confirmed address when their account changes.',
    beginnings: ['SMS_NOTIFICATIONS_'],
    isFolded: true,
  },
  { title: 'Texts of notices', beginnings: ['SMS_TEMPLATES_'], isFolded: true },
);

export const mailForm: Form = single(
  {
    title: 'Mail server',
    settings: {
      SMTP_HOST: 'Host',
      SMTP_PORT: 'Port',
      SMTP_USER: 'User name',
      SMTP_PASS: 'Password',
      SMTP_ADMIN_EMAIL: 'From address',
      SMTP_SENDER_NAME: 'From name',
      SMTP_MAX_FREQUENCY: 'Time between two mails',
      SMTP_HEADERS: 'Further headers',
      SMTP_LOGGING_ENABLED: 'Log every mail',
    },
    sections: ['Mail server'],
  },
  // The editor of mails has them.
  { title: 'Own words', beginnings: ['MAILER_CONTENTS_'] },
  { title: 'Notices', beginnings: ['MAILER_NOTIFICATIONS_'], isFolded: true },
  {
    title: 'Subjects',
    about: 'For all languages. The words of a kind, under Templates, come before them.',
    beginnings: ['MAILER_SUBJECTS_'],
    isFolded: true,
  },
  {
    title: 'Bodies from addresses',
    about: 'Templates that are fetched. The words of a kind, under Templates, come before them.',
    beginnings: ['MAILER_TEMPLATES_'],
    isFolded: true,
  },
  { title: 'Templates that are fetched', beginnings: ['MAILER_TEMPLATE_'], sections: ['Mails'], isFolded: true },
);

const fieldsOfHook = {
  ENABLED: 'On',
  URI: 'Address',
  SECRETS: 'Keys that sign',
  TIMEOUT: 'Longest time',
  MAX_CONCURRENCY: 'Calls at a time',
  FAIL_OPEN: 'Go on when it fails',
  HEADERS: 'Further headers',
  CLIENT_CERT: 'Client certificate',
  CLIENT_KEY: 'Its private key',
  CA: 'Certificate authority',
};

const hookGroup = (name: string): FormGroup => {
  const beginning = `HOOK_${name.toUpperCase()}_`;
  const settings = Object.entries(fieldsOfHook).map(([field, label]) => [`${beginning}${field}`, label]);
  return { title: name, settings: Object.fromEntries(settings), beginnings: [beginning], isFolded: true };
};

export const hooksForm: Form = single(...hookNames.map(hookGroup), {
  title: 'All hooks',
  settings: {
    HOOK_CUSTOM_ACCESS_TOKEN_CACHE: 'Claims are reused for',
    HOOK_AFTER_USER_CREATED_ADMIN: 'after_user_created for accounts of administrators',
    HOOK_SEND_EMAIL_BACKGROUND: 'send_email in the background',
    HOOK_SEND_SMS_BACKGROUND: 'send_sms in the background',
    HOOK_LENIENT_DECISIONS: 'Continue after unknown decisions',
  },
  sections: ['Hooks'],
});
