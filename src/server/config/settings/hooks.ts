import type { Section, Setting } from './setting.js';

/** The hooks: one name adds all settings of a hook. */
export const hookNames = [
  'custom_access_token',
  'password_verification_attempt',
  'mfa_verification_attempt',
  'before_user_created',
  'after_user_created',
  'send_email',
  'send_sms',
] as const;

export type HookName = (typeof hookNames)[number];

/** One call may take so long, with all its tries. */
export const MAX_HOOK_SECONDS = 9;

export const hookFields = {
  enabled: { kind: 'bool', default: 'false' },
  uri: { kind: 'hookUri', default: null },
  secrets: { kind: 'hookSecrets', default: null },
  timeoutSeconds: { kind: 'duration', positive: true, maxSeconds: MAX_HOOK_SECONDS, default: '5s' },
  maxConcurrency: { kind: 'int', min: 1, max: 10_000, default: '64' },
  failOpen: { kind: 'bool', default: 'false' },
  headers: { kind: 'headers', default: '{}' },
  clientCert: { kind: 'text', default: '' },
  clientKey: { kind: 'text', default: '' },
  ca: { kind: 'text', default: '' },
} as const;

export type HookField = keyof typeof hookFields;

interface HookWords {
  /** When it is called. */
  readonly called: string;
  /** What a failed call leads to with FAIL_OPEN, or why it is refused for this hook. */
  readonly failOpen: string | { readonly refusedBecause: string };
}

const DECIDES = {
  refusedBecause: 'decides who may continue, so that a call that fails must refuse',
};

const words: Readonly<Record<HookName, HookWords>> = {
  custom_access_token: {
    called: 'for every access token, whose claims its answer replaces',
    failOpen: 'issues the token with the claims it would have without the hook',
  },
  password_verification_attempt: { called: 'for every password of a sign-in, right or wrong', failOpen: DECIDES },
  mfa_verification_attempt: {
    called: 'for every code of a second factor, right or wrong',
    failOpen: DECIDES,
  },
  before_user_created: { called: 'before a user creates an account', failOpen: DECIDES },
  after_user_created: {
    called: 'once for each new account, after the answer',
    failOpen: { refusedBecause: 'is called after the answer, so that its failure shows to no client' },
  },
  send_email: {
    called: 'for every mail, in place of a mail server',
    failOpen: 'does not fail the request: the mail waits in the outbox, which calls again',
  },
  send_sms: {
    called: 'for every text, in place of a gateway',
    failOpen: 'does not fail the request: the text waits in the outbox, which calls again',
  },
};

/** The rows of one hook. */
export function hookSettings(name: HookName): Record<HookField, Setting> {
  const prefix = `HOOK_${name.toUpperCase()}`;
  const { called, failOpen } = words[name];
  const row = <F extends HookField>(field: F, suffix: string) => ({
    ...hookFields[field],
    variable: `${prefix}_${suffix}`,
  });
  return {
    enabled: { ...row('enabled', 'ENABLED'), doc: `Calls the hook ${name}: ${called}.`, example: 'true' },
    uri: {
      ...row('uri', 'URI'),
      doc: `Address of the hook ${name}: https://, http:// on this machine, or pg-functions://postgres/schema/function.`,
      example: `https://hooks.example.com/${name.replaceAll('_', '-')}`,
    },
    secrets: {
      ...row('secrets', 'SECRETS'),
      secret: true,
      doc: `Keys that sign calls of ${name}, parted by |: v1,whsec_<base64> or v1a,whpk_<base64>:whsk_<base64>.`,
      example: 'v1,whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUtMzI=',
    },
    timeoutSeconds: {
      ...row('timeoutSeconds', 'TIMEOUT'),
      doc: `Longest time of a call of ${name} with all its tries, at most ${MAX_HOOK_SECONDS}s; a function in the database gets at most 2s.`,
      example: '2s',
    },
    maxConcurrency: {
      ...row('maxConcurrency', 'MAX_CONCURRENCY'),
      doc: `Calls of ${name} at a time in each server thread; a further one waits for a second and then fails.`,
      example: '16',
    },
    failOpen:
      typeof failOpen !== 'string'
        ? {
            kind: 'choice',
            choices: ['false'],
            default: 'false',
            variable: `${prefix}_FAIL_OPEN`,
            doc: `Only false: ${name} ${failOpen.refusedBecause}.`,
            example: 'false',
          }
        : {
            ...row('failOpen', 'FAIL_OPEN'),
            doc: `A call of ${name} that fails ${failOpen}; an answer that refuses still counts.`,
            example: 'true',
          },
    headers: {
      ...row('headers', 'HEADERS'),
      secret: true,
      doc: `Additional headers of calls of ${name}, for a gateway that requires a key: JSON, as in SMTP_HEADERS.`,
      example: '{"X-Api-Key": ["key"]}',
    },
    clientCert: {
      ...row('clientCert', 'CLIENT_CERT'),
      secret: true,
      doc: `Client certificate of calls of ${name} in PEM, for mutual TLS.`,
      example: '',
    },
    clientKey: {
      ...row('clientKey', 'CLIENT_KEY'),
      secret: true,
      doc: `Private key of that certificate of ${name} in PEM.`,
      example: '',
    },
    ca: {
      ...row('ca', 'CA'),
      secret: true,
      doc: `Certificate authority in PEM that the receiver of ${name} is verified with, in place of the usual ones.`,
      example: '',
    },
  };
}

/** Settings of single hooks, and of all together. */
export const hooks = {
  hookCustomAccessTokenCacheSeconds: {
    variable: 'HOOK_CUSTOM_ACCESS_TOKEN_CACHE',
    kind: 'duration',
    default: '0',
    doc: 'How long the changes of custom_access_token to the claims of a session are reused when it is refreshed, unless the account changes; 0 asks each time.',
    example: '5m',
  },
  hookAfterUserCreatedAdmin: {
    variable: 'HOOK_AFTER_USER_CREATED_ADMIN',
    kind: 'bool',
    default: 'false',
    doc: 'Calls after_user_created also for accounts of POST /admin/users and `latchkey users create`.',
    example: 'true',
  },
  hookSendEmailBackground: {
    variable: 'HOOK_SEND_EMAIL_BACKGROUND',
    kind: 'bool',
    default: 'false',
    doc: 'Calls send_email from the outbox after the answer, again and again until the code expires, so that neither its time nor its failures show.',
    example: 'true',
  },
  hookSendSmsBackground: {
    variable: 'HOOK_SEND_SMS_BACKGROUND',
    kind: 'bool',
    default: 'false',
    doc: 'Calls send_sms from the outbox after the answer, again and again until the code expires, so that neither its time nor its failures show. Codes of phone factors do not wait.',
    example: 'true',
  },
  hookLenientDecisions: {
    variable: 'HOOK_LENIENT_DECISIONS',
    kind: 'bool',
    default: 'false',
    doc: 'Continues after a decision of a hook that is neither continue nor reject, as supabase/auth does, where it is an error otherwise.',
    example: 'true',
  },
} as const satisfies Section;
