/** Rate limits (SEC-67 to SEC-70): counted in Postgres, with rejected keys kept in memory. */
import { type CounterRule, giveBackToCounter, pruneCounters, resetCounter, takeFromCounter } from '../../db/limits.js';
import { FORGET_AFTER_SECONDS } from '../../db/sign-in-failures.js';
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import { ApiError, apiError } from '../errors.js';
import type { ApiRequest } from '../http/types.js';
import type { NoticeKind } from '../message-kinds.js';
import type { Log } from '../telemetry/log.js';
import { headerKeyOf, keySourceOf, socketKeyOf } from './client-key.js';
import type { ClientLimit, GuessLimit, Limits, RecipientLimit } from './contract.js';
import { DecoyIntervals } from './decoy-intervals.js';
import {
  clientRules,
  guessRules,
  type LimitSettings,
  lifetimeSeconds,
  noticeRule,
  quotaRule,
  tokenRule,
} from './limit-rules.js';
import { makePruner } from './pruner.js';
import { recipientKey } from './recipient-key.js';
import { RejectedKeys } from './rejected-keys.js';

/** Another process may refund an interval; this one notices within this time. */
const RECIPIENT_RECHECK_SECONDS = 2;
/** Where operators may forgive a client: a flood then costs a statement a client in this time. */
const FORGIVEN_RECHECK_SECONDS = 5;
/** Reported for limits of zero. */
const NEVER_SECONDS = 3600;

export interface LimitsOptions {
  readonly config: LimitSettings & Pick<Config, 'consolePort'>;
  readonly db: Database;
  readonly log: Pick<Log, 'warn' | 'debug'>;
  /** Rejections by limit since the start of the thread, for metrics; a reload hands them on. */
  readonly rejections?: Record<string, number>;
}

/**
 * Opens the limits of one server thread. Counts are in the database, so they survive a reload; the rejected keys do not,
 * since the new limits may admit them.
 */
export function openLimits({ config, db, log, rejections = {} }: LimitsOptions): Limits {
  const rules = clientRules(config);
  const quotas = { email: quotaRule(config, 'email'), phone: quotaRule(config, 'phone') };
  const notices = noticeRule(config);
  const tokens = tokenRule(config);
  const source = keySourceOf(config);
  const rejectedKeys = new RejectedKeys();
  const pruner = makePruner(
    (olderThanSeconds, most) => pruneCounters(db, olderThanSeconds, most),
    (error) => log.debug({ component: 'limits', reason: (error as Error).message }, 'Old counters were not pruned'),
  );
  pruner.retainFor(longestLifetime(config, [...Object.values(rules), quotas.email, quotas.phone, notices, tokens]));
  const clientRecheckSeconds = config.consolePort === null ? Number.POSITIVE_INFINITY : FORGIVEN_RECHECK_SECONDS;
  let hasWarned = false;

  /** @returns 0 when the request was counted, else the seconds to wait */
  async function take(rule: CounterRule, name: string, key: string, recheckSeconds: number): Promise<number> {
    const memoryKey = `${name} ${key}`;
    let waitSeconds = rejectedKeys.waitSeconds(memoryKey);
    if (waitSeconds === 0) {
      waitSeconds = rule.most < 1 ? NEVER_SECONDS : await count(rule, name, key);
      if (waitSeconds > 0) rejectedKeys.remember(memoryKey, waitSeconds, recheckSeconds);
    }
    if (waitSeconds > 0) rejections[name] = (rejections[name] ?? 0) + 1;
    return waitSeconds;
  }

  async function count(rule: CounterRule, name: string, key: string): Promise<number> {
    pruner.tick();
    try {
      return await takeFromCounter(db, rule, name, key);
    } catch (error) {
      throw asCountError(error);
    }
  }

  function keyOf(request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>): string {
    const key = headerKeyOf(request, source);
    if (key !== null) return key;
    if (!hasWarned) {
      hasWarned = true;
      log.warn(
        { component: 'limits', header: source.header },
        'A request came without a usable header of AUTH_RATE_LIMIT_HEADER and counts under its socket address: have the proxy set it on every request. This is logged once.',
      );
    }
    return socketKeyOf(request);
  }

  async function refundRecipient(limit: RecipientLimit, recipient: string): Promise<void> {
    const name = `recipient.${limit}`;
    const key = recipientKey(limit, recipient);
    await resetCounter(db, name, key);
    rejectedKeys.forget(`${name} ${key}`);
  }

  const decoys = new DecoyIntervals(refundRecipient);

  return {
    async takeForClient(limit: ClientLimit, request: ApiRequest) {
      if (source.header === '') return;
      const name = `client.${limit}`;
      const waitSeconds = await take(rules[limit], name, keyOf(request), clientRecheckSeconds);
      if (waitSeconds > 0) throw apiError('overRequestRate', {}, errorOptions(name, waitSeconds));
    },

    async takeForToken(tokenId: string) {
      const waitSeconds = await take(tokens, 'token.scim', tokenId, clientRecheckSeconds);
      if (waitSeconds > 0) throw apiError('overRequestRate', {}, errorOptions('token.scim', waitSeconds));
    },

    async takeGuess(limit: GuessLimit, request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>, accountId: string) {
      const counters = [
        [`account.${limit}`, accountId],
        ...(source.header === '' ? [] : [[`client.${limit}`, keyOf(request)]]),
      ] as [name: string, key: string][];
      for (const [name, key] of counters) {
        const waitSeconds = await take(guessRules[limit], name, key, clientRecheckSeconds);
        if (waitSeconds > 0) throw apiError('overRequestRate', {}, errorOptions(name, waitSeconds));
      }
      return async () => {
        for (const [name, key] of counters) await giveBackToCounter(db, name, key);
      };
    },

    async takeForRecipient(limit: RecipientLimit, recipient: string, intervalSeconds: number) {
      if (intervalSeconds <= 0) return;
      const name = `recipient.${limit}`;
      const rule = { kind: 'window', most: 1, seconds: intervalSeconds } as const;
      pruner.retainFor(intervalSeconds);
      const waitSeconds = await take(rule, name, recipientKey(limit, recipient), RECIPIENT_RECHECK_SECONDS);
      if (waitSeconds === 0) return;
      const options = errorOptions(name, waitSeconds);
      throw apiError(
        limit === 'sms' ? 'tooSoonForSms' : 'tooSoonForEmail',
        { seconds: Math.floor(waitSeconds) },
        options,
      );
    },

    refundRecipient,
    shareFate: (channel, limits, recipient, seconds) => decoys.add(channel, limits, recipient, seconds),
    noteDelivery: (channel, isDelivered, tookMs) => decoys.note(channel, isDelivered, tookMs),

    async takeQuota(channel: 'email' | 'phone') {
      const rule = quotas[channel];
      if (rule === null) return;
      const name = channel === 'email' ? 'quota.email' : 'quota.sms';
      const waitSeconds = await take(rule, name, '', clientRecheckSeconds);
      if (waitSeconds === 0) return;
      throw apiError(channel === 'email' ? 'overEmailQuota' : 'overSmsQuota', {}, errorOptions(name, waitSeconds));
    },

    async takeNotice(kind: NoticeKind, recipient: string) {
      return (await take(notices, 'notice', recipientKey(kind, recipient), clientRecheckSeconds)) === 0;
    },

    forget: (name, key) => rejectedKeys.forget(`${name} ${key}`),

    stats: () => ({ rejections: { ...rejections }, remembered: rejectedKeys.size }),
  };
}

const errorOptions = (limit: string, waitSeconds: number) => ({
  limit,
  retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds)),
});

/** A request that cannot be counted is rejected (SEC-69). */
function asCountError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : apiError('databaseUnavailable', {}, { retryAfterSeconds: 1, cause: error });
}

/** Longest lifetime of a counter according to the settings; takeForRecipient may extend it. */
function longestLifetime(config: LimitSettings, rules: readonly (CounterRule | null)[]): number {
  return Math.max(
    FORGET_AFTER_SECONDS,
    config.smtpMaxFrequencySeconds ?? 0,
    config.smsMaxFrequencySeconds,
    ...rules.map((rule) => (rule === null ? 0 : lifetimeSeconds(rule))),
  );
}
