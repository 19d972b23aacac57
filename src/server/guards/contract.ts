/** What rules and the edge ask of the guards. */
import type { ApiRequest, ClientLimit } from '../http/types.js';

export type { ClientLimit } from '../http/types.js';

/** Limits on sending to one person; the same for addresses with and without an account, so that a 429 tells nothing. */
export type RecipientLimit = 'confirmation' | 'sign_in_mail' | 'recovery' | 'email_change' | 'reauthentication' | 'sms';

/** Counted in Postgres, shared by threads and instances (SEC-67). Every refusal is a 429 with Retry-After (SEC-69). */
export interface Limits {
  /** @throws Refusal overRequestRate */
  takeForClient(limit: ClientLimit, request: ApiRequest): Promise<void>;
  /**
   * One send to one address per interval (decisions.md 12, SEC-70).
   * @param recipient normalised address or number
   * @param intervalSeconds 0: no limit
   * @throws Refusal tooSoonForEmail or tooSoonForSms, with the seconds that remain
   */
  takeForRecipient(limit: RecipientLimit, recipient: string, intervalSeconds: number): Promise<void>;
  /** Gives the last take back: a send that failed burns no interval (decisions.md 12). */
  refundRecipient(limit: RecipientLimit, recipient: string): Promise<void>;
  /**
   * The server-wide quota of RATE_LIMIT_EMAIL_SENT or RATE_LIMIT_SMS_SENT; skipped as reference/core.md 9.2 says.
   * @throws Refusal overEmailQuota, overSmsQuota
   */
  takeQuota(channel: 'email' | 'phone'): Promise<void>;
  /** Refusals by limit since the start, and how many keys are refused from memory just now. */
  stats(): { readonly refusals: Readonly<Record<string, number>>; readonly remembered: number };
}
