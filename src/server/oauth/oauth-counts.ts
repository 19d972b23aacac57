/** Counts of the authorization server since the start, for metrics. */
import { asApiError, asOauthError } from '../errors.js';

export interface OauthStats {
  /** `grant outcome` → requests to the token endpoint. */
  readonly grants: ReadonlyMap<string, number>;
  /** Result → attempts to deliver a logout token. */
  readonly logouts: ReadonlyMap<LogoutResult, number>;
}

export type LogoutResult = 'delivered' | 'retried' | 'given_up';

export interface OauthCounter {
  /** @param error that was thrown; null: tokens were issued */
  countGrant(grant: string, error: unknown): void;
  countLogout(result: LogoutResult): void;
  read(): OauthStats;
}

export function countOauth(): OauthCounter {
  const grants = new Map<string, number>();
  const logouts = new Map<LogoutResult, number>();
  const add = <Key>(counts: Map<Key, number>, key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    countGrant: (grant, error) => add(grants, `${grant} ${outcomeOf(error)}`),
    countLogout: (result) => add(logouts, result),
    read: () => ({ grants, logouts }),
  };
}

/** The `error` of RFC 6749 5.2. */
const outcomeOf = (error: unknown): string =>
  error === null ? 'ok' : String(asOauthError(asApiError(error)).extra?.['error']);
