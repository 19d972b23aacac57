/** The rule of each limit. */
import type { CounterRule } from '../../db/limits.js';
import type { Config, Rate } from '../config/settings.js';
import type { ClientLimit } from '../http/types.js';
import type { GuessLimit } from './contract.js';

const HOUR_SECONDS = 3600;
const MINUTE_SECONDS = 60;
/** Of every limit per client except `anonymous`, independent of its setting. */
const BURST = 30;
/** A resource server asks about each of its requests. */
const INTROSPECTION_BURST = 300;
const PERIOD_SECONDS = 300;

export type LimitSettings = Pick<
  Config,
  | 'rateLimitHeader'
  | 'rateLimitTrustedHops'
  | 'securitySbForwardedForEnabled'
  | 'rateLimitOtp'
  | 'rateLimitVerify'
  | 'rateLimitTokenRefresh'
  | 'rateLimitAnonymousUsers'
  | 'rateLimitAuthorize'
  | 'mfaRateLimitChallengeAndVerify'
  | 'rateLimitPasskey'
  | 'rateLimitWeb3'
  | 'rateLimitOauthAuthorize'
  | 'rateLimitOauthToken'
  | 'rateLimitOauthIntrospect'
  | 'rateLimitOauthDynamicClientRegister'
  | 'rateLimitOauthDevice'
  | 'rateLimitSso'
  | 'samlRateLimitAssertion'
  | 'rateLimitOrganizations'
  | 'rateLimitScim'
  | 'rateLimitEmailSent'
  | 'rateLimitSmsSent'
  | 'rateLimitNotificationsSent'
  | 'mailerAutoconfirm'
  | 'smsAutoconfirm'
  | 'smtpMaxFrequencySeconds'
  | 'smsMaxFrequencySeconds'
>;

/** The rules of the limits per client. */
export function clientRules(config: LimitSettings): Readonly<Record<ClientLimit, CounterRule>> {
  const otp = refilled(BURST, config.rateLimitOtp, PERIOD_SECONDS);
  const factor = refilled(BURST, config.mfaRateLimitChallengeAndVerify, MINUTE_SECONDS);
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
    factor_challenge: factor,
    factor_verify: factor,
    authorize: refilled(BURST, config.rateLimitAuthorize, PERIOD_SECONDS),
    passkey: refilled(BURST, config.rateLimitPasskey, PERIOD_SECONDS),
    web3: refilled(BURST, config.rateLimitWeb3, PERIOD_SECONDS),
    oauth_authorize: refilled(BURST, config.rateLimitOauthAuthorize, PERIOD_SECONDS),
    oauth_token: refilled(BURST, config.rateLimitOauthToken, PERIOD_SECONDS),
    oauth_introspect: refilled(INTROSPECTION_BURST, config.rateLimitOauthIntrospect, PERIOD_SECONDS),
    oauth_register: refilled(BURST, config.rateLimitOauthDynamicClientRegister, PERIOD_SECONDS),
    oauth_device: refilled(BURST, config.rateLimitOauthDevice, PERIOD_SECONDS),
    sso: refilled(BURST, config.rateLimitSso, PERIOD_SECONDS),
    saml_assertion: refilled(BURST, config.samlRateLimitAssertion, PERIOD_SECONDS),
    organizations: refilled(BURST, config.rateLimitOrganizations, PERIOD_SECONDS),
  };
}

/** Wrong codes of devices (RFC 8628 5.1). */
export const guessRules: Readonly<Record<GuessLimit, CounterRule>> = {
  oauth_user_code: { kind: 'window', most: 10, seconds: MINUTE_SECONDS },
};

/** supabase/auth drops a bucket after an hour, so one that never refills grants its burst every hour. */
function refilled(most: number, count: number, seconds: number): CounterRule {
  return count > 0
    ? { kind: 'bucket', most, perSecond: count / seconds }
    : { kind: 'window', most, seconds: HOUR_SECONDS };
}

/**
 * RATE_LIMIT_EMAIL_SENT and RATE_LIMIT_SMS_SENT.
 * @returns null when nothing is counted: with autoconfirm, unless the quota of mails is zero, which forbids them
 */
export function quotaRule(config: LimitSettings, channel: 'email' | 'phone'): CounterRule | null {
  const rate = channel === 'email' ? config.rateLimitEmailSent : config.rateLimitSmsSent;
  if (channel === 'email' ? config.mailerAutoconfirm && rate.count !== 0 : config.smsAutoconfirm) return null;
  return ruleOf(rate);
}

/** RATE_LIMIT_SCIM: identity providers send in bursts, so the minute is one. */
export const tokenRule = ({ rateLimitScim }: Pick<LimitSettings, 'rateLimitScim'>): CounterRule => ({
  kind: 'bucket',
  most: rateLimitScim,
  perSecond: rateLimitScim / MINUTE_SECONDS,
});

/** RATE_LIMIT_NOTIFICATIONS_SENT. */
export const noticeRule = (config: LimitSettings): CounterRule => ruleOf(config.rateLimitNotificationsSent);

const ruleOf = ({ count, refillSeconds }: Rate): CounterRule =>
  refillSeconds === null
    ? { kind: 'window', most: count, seconds: HOUR_SECONDS }
    : { kind: 'bucket', most: count, perSecond: 1 / refillSeconds };

/** Seconds after which an unchanged counter has no effect. */
export const lifetimeSeconds = (rule: CounterRule): number =>
  rule.kind === 'bucket' ? rule.most / rule.perSecond : rule.seconds;
