/** Every counter in the database, for operators: whom it counts, its rule and its setting. */
import type { CounterRule } from '../../db/limits.js';
import type { Config } from '../config/settings.js';
import type { ClientLimit } from '../http/types.js';
import { limitsOf, type MailLimit, mailKinds, mailRow } from '../message-kinds.js';
import { clientRules, guessRules, noticeRule, quotaRule } from './limit-rules.js';

/** `delay`: `updated_at` of the counter is the time of the next try. */
export type NamedRule = {
  /** As in the table of counters. */
  readonly name: string;
  readonly counts: 'client' | 'recipient' | 'everyone' | 'address' | 'account';
  /** The setting that decides; null: there is none. */
  readonly setting: string | null;
} & { readonly rule: CounterRule | { readonly kind: 'delay' } };

const clientSettings: Readonly<Record<ClientLimit, string>> = {
  signup: 'AUTH_RATE_LIMIT_OTP',
  anonymous: 'AUTH_RATE_LIMIT_ANONYMOUS_USERS',
  recover: 'AUTH_RATE_LIMIT_OTP',
  resend: 'AUTH_RATE_LIMIT_OTP',
  magiclink: 'AUTH_RATE_LIMIT_OTP',
  otp: 'AUTH_RATE_LIMIT_OTP',
  user: 'AUTH_RATE_LIMIT_OTP',
  token: 'AUTH_RATE_LIMIT_TOKEN_REFRESH',
  verify: 'AUTH_RATE_LIMIT_VERIFY',
  factor_challenge: 'AUTH_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY',
  factor_verify: 'AUTH_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY',
  authorize: 'AUTH_RATE_LIMIT_AUTHORIZE',
  passkey: 'AUTH_RATE_LIMIT_PASSKEY',
  web3: 'AUTH_RATE_LIMIT_WEB3',
  oauth_authorize: 'AUTH_RATE_LIMIT_OAUTH_AUTHORIZE',
  oauth_token: 'AUTH_RATE_LIMIT_OAUTH_TOKEN',
  oauth_introspect: 'AUTH_RATE_LIMIT_OAUTH_INTROSPECT',
  oauth_register: 'AUTH_RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER',
  oauth_device: 'AUTH_RATE_LIMIT_OAUTH_DEVICE',
  sso: 'AUTH_RATE_LIMIT_SSO',
  saml_assertion: 'AUTH_SAML_RATE_LIMIT_ASSERTION',
  organizations: 'AUTH_RATE_LIMIT_ORGANIZATIONS',
};

/** @returns those that the settings leave on, in the order in which they are shown */
export function namedRules(config: Config): readonly NamedRule[] {
  const mailQuota = quotaRule(config, 'email');
  const smsQuota = quotaRule(config, 'phone');
  const smsSeconds = Math.max(config.smsMaxFrequencySeconds, config.mfaPhoneMaxFrequencySeconds);
  const named = (name: string, counts: NamedRule['counts'], setting: string | null, rule: NamedRule['rule']) =>
    ({ name, counts, setting, rule }) satisfies NamedRule;
  return [
    named('sign_in', 'address', 'AUTH_SECURITY_LOGIN_THROTTLE', { kind: 'delay' }),
    named('factor_tries', 'account', 'AUTH_SECURITY_MFA_THROTTLE', { kind: 'delay' }),
    ...mailLimits().map(({ limit, intervalSeconds }) =>
      named(`recipient.${limit}`, 'recipient', 'AUTH_SMTP_MAX_FREQUENCY', {
        ...once,
        seconds: config.smtpMaxFrequencySeconds ?? intervalSeconds,
      }),
    ),
    // Codes to a phone and codes of a phone factor have intervals of their own.
    named('recipient.sms', 'recipient', 'AUTH_SMS_MAX_FREQUENCY', { ...once, seconds: smsSeconds }),
    named('notice', 'recipient', 'AUTH_RATE_LIMIT_NOTIFICATIONS_SENT', noticeRule(config)),
    ...(mailQuota === null ? [] : [named('quota.email', 'everyone', 'AUTH_RATE_LIMIT_EMAIL_SENT', mailQuota)]),
    ...(smsQuota === null ? [] : [named('quota.sms', 'everyone', 'AUTH_RATE_LIMIT_SMS_SENT', smsQuota)]),
    ...Object.entries(clientRules(config)).map(([limit, rule]) =>
      named(`client.${limit}`, 'client', clientSettings[limit as ClientLimit], rule),
    ),
    ...Object.entries(guessRules).flatMap(([limit, rule]) => [
      named(`account.${limit}`, 'account', null, rule),
      named(`client.${limit}`, 'client', null, rule),
    ]),
  ];
}

const once = { kind: 'window', most: 1 } as const;

/** The send intervals of mails; a kind takes its first one. */
function mailLimits(): readonly { readonly limit: MailLimit; readonly intervalSeconds: number }[] {
  const found = new Map<MailLimit, number>();
  for (const kind of mailKinds) {
    const [limit] = limitsOf(kind);
    if (limit !== undefined && !found.has(limit)) found.set(limit, mailRow(kind).intervalSeconds);
  }
  return [...found].map(([limit, intervalSeconds]) => ({ limit, intervalSeconds }));
}
