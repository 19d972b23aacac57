/** Rate limits (reference/core.md 9, SEC-67 to SEC-70): counted in Postgres, refused from memory. */
import { createHash } from 'node:crypto';
import { type CounterRule, forgetCounter, pruneCounters, takeFromCounter } from '../../db/limits.js';
import { FORGET_AFTER_SECONDS } from '../../db/sign-in-failures.js';
import type { Database } from '../../db/types.js';
import { Refusal, refuse } from '../errors.js';
import type { ApiRequest } from '../http/types.js';
import type { Log } from '../telemetry/log.js';
import { keySourceOf, readClientKey, socketKeyOf } from './client-key.js';
import type { ClientLimit, Limits, RecipientLimit } from './contract.js';
import { makePruner } from './pruner.js';
import { RefusedKeys } from './refused-keys.js';
import { clientRules, type LimitSettings, lifetimeSeconds, quotaRule } from './rules.js';

/** A send that failed elsewhere gives its interval back; this process then notices within so long. */
const RECIPIENT_RECHECK_SECONDS = 2;
/** Told where a limit grants nothing at all, so that there is no time to wait for. */
const NEVER_SECONDS = 3600;

export interface LimitsOptions {
  readonly config: LimitSettings;
  readonly db: Database;
  readonly log: Pick<Log, 'warn' | 'debug'>;
}

/** Opens the limits of one server thread. Nothing is counted, and nothing connects, before the first request. */
export function openLimits({ config, db, log }: LimitsOptions): Limits {
  const rules = clientRules(config);
  const quotas = { email: quotaRule(config, 'email'), phone: quotaRule(config, 'phone') };
  const source = keySourceOf(config);
  const refused = new RefusedKeys();
  const refusals: Record<string, number> = {};
  const pruner = makePruner(
    (olderThanSeconds, most) => pruneCounters(db, olderThanSeconds, most),
    (error) => log.debug({ component: 'limits', reason: (error as Error).message }, 'Old counters were not pruned'),
  );
  pruner.keepFor(longestLifetime(config, [...Object.values(rules), quotas.email, quotas.phone]));
  let hasWarned = false;

  /** Every count goes through here. @returns 0 when the request was counted, else the seconds to wait */
  async function take(rule: CounterRule, name: string, key: string, recheckSeconds: number): Promise<number> {
    const memoryKey = `${name} ${key}`;
    let waitSeconds = refused.waitSeconds(memoryKey);
    if (waitSeconds === 0) {
      waitSeconds = rule.most < 1 ? NEVER_SECONDS : await count(rule, name, key);
      if (waitSeconds > 0) refused.remember(memoryKey, waitSeconds, recheckSeconds);
    }
    if (waitSeconds > 0) refusals[name] = (refusals[name] ?? 0) + 1;
    return waitSeconds;
  }

  async function count(rule: CounterRule, name: string, key: string): Promise<number> {
    pruner.tick();
    try {
      return await takeFromCounter(db, rule, name, key);
    } catch (error) {
      throw uncounted(error);
    }
  }

  function keyOf(request: ApiRequest): string {
    const key = readClientKey(request.headerLines(source.header), source);
    if (key !== null) return key;
    if (!hasWarned) {
      hasWarned = true;
      log.warn(
        { component: 'limits', header: source.header },
        'A request came without a usable header of AUTH_RATE_LIMIT_HEADER and counts under its socket address: have the proxy set it on every request. Not said again.',
      );
    }
    return socketKeyOf(request);
  }

  return {
    async takeForClient(limit: ClientLimit, request: ApiRequest) {
      if (source.header === '') return;
      const name = `client.${limit}`;
      const waitSeconds = await take(rules[limit], name, keyOf(request), Number.POSITIVE_INFINITY);
      if (waitSeconds > 0) throw refuse('overRequestRate', {}, refusalOptions(name, waitSeconds));
    },

    async takeForRecipient(limit: RecipientLimit, recipient: string, intervalSeconds: number) {
      if (intervalSeconds <= 0) return;
      const name = `recipient.${limit}`;
      const rule = { kind: 'window', most: 1, seconds: intervalSeconds } as const;
      pruner.keepFor(intervalSeconds);
      const waitSeconds = await take(rule, name, recipientKey(limit, recipient), RECIPIENT_RECHECK_SECONDS);
      if (waitSeconds === 0) return;
      const options = refusalOptions(name, waitSeconds);
      throw refuse(
        limit === 'sms' ? 'tooSoonForSms' : 'tooSoonForEmail',
        { seconds: Math.floor(waitSeconds) },
        options,
      );
    },

    async refundRecipient(limit: RecipientLimit, recipient: string) {
      const name = `recipient.${limit}`;
      const key = recipientKey(limit, recipient);
      await forgetCounter(db, name, key);
      refused.forget(`${name} ${key}`);
    },

    async takeQuota(channel: 'email' | 'phone') {
      const rule = quotas[channel];
      if (rule === null) return;
      const name = channel === 'email' ? 'quota.email' : 'quota.sms';
      const waitSeconds = await take(rule, name, '', Number.POSITIVE_INFINITY);
      if (waitSeconds === 0) return;
      throw refuse(channel === 'email' ? 'overEmailQuota' : 'overSmsQuota', {}, refusalOptions(name, waitSeconds));
    },

    stats: () => ({ refusals: { ...refusals }, remembered: refused.size }),
  };
}

const refusalOptions = (limit: string, waitSeconds: number) => ({
  limit,
  retryAfterSeconds: Math.max(1, Math.ceil(waitSeconds)),
});

/** People's addresses do not lie about in clear; the limit's name keeps one hash from standing for two things. */
const recipientKey = (limit: RecipientLimit, recipient: string): string =>
  createHash('sha256').update(`${limit}\0${recipient}`).digest('base64url');

/** A limit that cannot be counted never lets anybody through (SEC-69). */
function uncounted(error: unknown): Refusal {
  return error instanceof Refusal ? error : refuse('databaseUnavailable', {}, { retryAfterSeconds: 1, cause: error });
}

/** How long a counter may count for, as far as the settings tell; see takeForRecipient for the rest. */
function longestLifetime(config: LimitSettings, rules: readonly (CounterRule | null)[]): number {
  return Math.max(
    FORGET_AFTER_SECONDS,
    config.smtpMaxFrequencySeconds ?? 0,
    config.smsMaxFrequencySeconds,
    ...rules.map((rule) => (rule === null ? 0 : lifetimeSeconds(rule))),
  );
}
