import { mailRow, type NoticeKind, noticeName, noticeTextOf } from '../../message-kinds.js';
import type { Section } from './setting.js';

export const smsGatewayNames = ['twilio', 'messagebird', 'textlocal', 'vonage'] as const;
export type SmsGatewayName = (typeof smsGatewayNames)[number];

/** Every {{ begins {{ .Code }}, and there is at least one: a message without the code is useless. */
export const CODE_TEMPLATE = /^(?:(?!\{\{)[\s\S])*\{\{\s*\.Code\s*\}\}(?:\{\{\s*\.Code\s*\}\}|(?!\{\{)[\s\S])*$/;

export const phone = {
  smsProvider: {
    variable: 'SMS_PROVIDER',
    kind: 'choice',
    choices: [...smsGatewayNames, 'log'],
    default: null,
    doc: 'Gateway that sends SMS messages: twilio, messagebird, textlocal or vonage; log shows them under `latchkey dev` and sends nothing.',
    example: 'twilio',
  },
  smsAutoconfirm: {
    variable: 'SMS_AUTOCONFIRM',
    kind: 'bool',
    default: 'false',
    doc: 'Phone numbers count as confirmed without a message.',
    example: 'true',
  },
  smsMaxFrequencySeconds: {
    variable: 'SMS_MAX_FREQUENCY',
    kind: 'duration',
    default: '60',
    doc: 'Least time between two messages of one kind to one user.',
    example: '60',
  },
  smsOtpExpSeconds: {
    variable: 'SMS_OTP_EXP',
    kind: 'duration',
    whole: true,
    positive: true,
    default: '60',
    doc: 'How long a code sent by SMS is valid.',
    example: '5m',
  },
  smsOtpLength: {
    variable: 'SMS_OTP_LENGTH',
    kind: 'int',
    default: '6',
    doc: 'Digits of a code sent by SMS, 6 to 10.',
    example: '8',
  },
  smsTemplate: {
    variable: 'SMS_TEMPLATE',
    kind: 'text',
    default: 'Your code is {{ .Code }}',
    pattern: CODE_TEMPLATE,
    patternInWords: 'must hold {{ .Code }}, and no other {{',
    doc: 'Text of a message; `{{ .Code }}` becomes the code.',
    example: '{{ .Code }} is your code for Example',
  },
  smsTestOtp: {
    variable: 'SMS_TEST_OTP',
    kind: 'map',
    default: '',
    secret: true,
    doc: 'Phone numbers with fixed codes for tests, as phone:code pairs; nothing is sent to them.',
    example: '15550100:123456',
  },
  smsTestOtpValidUntil: {
    variable: 'SMS_TEST_OTP_VALID_UNTIL',
    kind: 'time',
    default: null,
    doc: 'When the fixed codes stop working; unset: never.',
    example: '2030-01-31T00:00:00Z',
  },
  smsTwilioAccountSid: gatewayText('twilio', 'ACCOUNT_SID', 'Account SID at Twilio.', 'AC0123456789'),
  smsTwilioAuthToken: gatewaySecret('twilio', 'AUTH_TOKEN', 'Auth token at Twilio.'),
  smsTwilioMessageServiceSid: gatewayText(
    'twilio',
    'MESSAGE_SERVICE_SID',
    'Messaging service SID, or the sender’s number, at Twilio.',
    'MG0123456789',
  ),
  smsTwilioContentSid: gatewayText(
    'twilio',
    'CONTENT_SID',
    'Content template for WhatsApp messages at Twilio; optional.',
    'HX0123456789',
  ),
  smsTwilioApiUrl: gatewayUrl('twilio', 'https://api.twilio.com'),
  smsMessagebirdAccessKey: gatewaySecret('messagebird', 'ACCESS_KEY', 'Access key at MessageBird.'),
  smsMessagebirdOriginator: gatewayText('messagebird', 'ORIGINATOR', 'Sender at MessageBird.', 'Example'),
  smsMessagebirdApiUrl: gatewayUrl('messagebird', 'https://rest.messagebird.com'),
  smsTextlocalApiKey: gatewaySecret('textlocal', 'API_KEY', 'API key at Textlocal.'),
  smsTextlocalSender: gatewayText('textlocal', 'SENDER', 'Sender at Textlocal.', 'EXAMPL'),
  smsTextlocalApiUrl: gatewayUrl('textlocal', 'https://api.textlocal.in'),
  smsVonageApiKey: gatewayText('vonage', 'API_KEY', 'API key at Vonage.', '0a1b2c3d'),
  smsVonageApiSecret: gatewaySecret('vonage', 'API_SECRET', 'API secret at Vonage.'),
  smsVonageFrom: gatewayText('vonage', 'FROM', 'Sender at Vonage.', 'Example'),
  smsVonageApiUrl: gatewayUrl('vonage', 'https://rest.nexmo.com'),
} as const satisfies Section;

/** The settings without which a gateway cannot send. */
export const smsGatewayNeeds = {
  twilio: ['smsTwilioAccountSid', 'smsTwilioAuthToken', 'smsTwilioMessageServiceSid'],
  messagebird: ['smsMessagebirdAccessKey', 'smsMessagebirdOriginator'],
  textlocal: ['smsTextlocalApiKey', 'smsTextlocalSender'],
  vonage: ['smsVonageApiKey', 'smsVonageApiSecret', 'smsVonageFrom'],
} as const satisfies Record<SmsGatewayName, readonly (keyof typeof phone)[]>;

/** The rows of a notice as a text. */
export const noticeTextSettings = (kind: NoticeKind): Section => ({
  enabled: {
    variable: `SMS_NOTIFICATIONS_${noticeName(kind)}_ENABLED`,
    kind: 'bool',
    default: 'false',
    doc: `Sends ${mailRow(kind).inWords} as a text to the confirmed number of users without a confirmed address.`,
    example: 'true',
  },
  template: {
    variable: `SMS_TEMPLATES_${kind.toUpperCase()}`,
    kind: 'text',
    default: noticeTextOf(kind),
    doc: `Text of an SMS with ${mailRow(kind).inWords}; may use variables of the notices.`,
    example: `${mailRow(kind).subject}.`,
  },
});

function gatewayText(gateway: SmsGatewayName, field: string, doc: string, example: string) {
  return { variable: `SMS_${gateway.toUpperCase()}_${field}`, kind: 'text', default: '', doc, example } as const;
}

function gatewaySecret(gateway: SmsGatewayName, field: string, doc: string) {
  return { ...gatewayText(gateway, field, doc, 'SECRET'), secret: true } as const;
}

function gatewayUrl(gateway: SmsGatewayName, publicUrl: string) {
  return {
    variable: `SMS_${gateway.toUpperCase()}_API_URL`,
    ofOwners: true,
    kind: 'url',
    base: true,
    default: publicUrl,
    doc: `Base URL of the ${gateway} API, for a proxy or a test server.`,
    example: 'http://localhost:4010',
  } as const;
}
