/** How much each limit grants (reference/core.md 9.1, 9.2). */
import type { CounterRule } from '../../db/limits.js';
import type { Config } from '../config/settings.js';
import type { ClientLimit } from '../http/types.js';

const HOUR_SECONDS = 3600;
/** Of every per-client limit but `anonymous`, whatever its setting. */
const BURST = 30;
const PERIOD_SECONDS = 300;

export type LimitSettings = Pick<
  Config,
  | 'rateLimitHeader'
  | 'rateLimitTrustedHops'
  | 'rateLimitOtp'
  | 'rateLimitVerify'
  | 'rateLimitTokenRefresh'
  | 'rateLimitAnonymousUsers'
  | 'rateLimitAuthorize'
  | 'rateLimitEmailSent'
  | 'rateLimitSmsSent'
  | 'mailerAutoconfirm'
  | 'smsAutoconfirm'
  | 'smtpMaxFrequencySeconds'
  | 'smsMaxFrequencySeconds'
>;

/** What the settings make of the limits per client. */
export function clientRules(config: LimitSettings): Readonly<Record<ClientLimit, CounterRule>> {
  const otp = refilled(BURST, config.rateLimitOtp, PERIOD_SECONDS);
  const anonymous = config.rateLimitAnonymousUsers;
  return {
    signup: otp,
    anonymous: refilled(anonymous, anonymous, HOUR_SECONDS),
    recover: otp,
    resend: otp,
    magiclink: otp,
    otp,
    user: otp,
    token: refilled(BURST, config.rateLimitTokenRefresh, PERIOD_SECONDS),
    verify: refilled(BURST, config.rateLimitVerify, PERIOD_SECONDS),
    authorize: refilled(BURST, config.rateLimitAuthorize, PERIOD_SECONDS),
  };
}

/** The compatible peer throws a bucket away after an hour, so one that never refills grants its burst each hour. */
function refilled(most: number, count: number, seconds: number): CounterRule {
  return count > 0
    ? { kind: 'bucket', most, perSecond: count / seconds }
    : { kind: 'window', most, seconds: HOUR_SECONDS };
}

/**
 * RATE_LIMIT_EMAIL_SENT and RATE_LIMIT_SMS_SENT.
 * @returns null where nothing is counted: with autoconfirm, unless the quota of mails is zero, which forbids them
 */
export function quotaRule(config: LimitSettings, channel: 'email' | 'phone'): CounterRule | null {
  const { count, refillSeconds } = channel === 'email' ? config.rateLimitEmailSent : config.rateLimitSmsSent;
  if (channel === 'email' ? config.mailerAutoconfirm && count !== 0 : config.smsAutoconfirm) return null;
  return refillSeconds === null
    ? { kind: 'window', most: count, seconds: HOUR_SECONDS }
    : { kind: 'bucket', most: count, perSecond: 1 / refillSeconds };
}

/** Seconds after which an untouched counter of a rule is as good as none. */
export const lifetimeSeconds = (rule: CounterRule): number =>
  rule.kind === 'bucket' ? rule.most / rule.perSecond : rule.seconds;
