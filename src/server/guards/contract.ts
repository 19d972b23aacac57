/** Interface of the limits. */
import type { Channel } from '../../db/user-rows.js';
import type { ApiRequest, ClientLimit } from '../http/types.js';
import type { MailLimit, NoticeKind } from '../message-kinds.js';

export type { ClientLimit } from '../http/types.js';

/** Limits per recipient, the same with and without an account, so that a 429 reveals nothing. */
export type RecipientLimit = MailLimit | 'sms';

/** Limits of wrong tries, by client and by account. */
export type GuessLimit = 'oauth_user_code';

/**
 * Counted in Postgres, shared by threads and instances (SEC-67). Every rejection is a 429 with Retry-After (SEC-69).
 */
export interface Limits {
  /** @throws ApiError overRequestRate */
  takeForClient(limit: ClientLimit, request: ApiRequest): Promise<void>;
  /** Counts a request of a token of provisioning, wherever it comes from. @throws ApiError overRequestRate */
  takeForToken(tokenId: string): Promise<void>;
  /**
   * Counts a try of a code that people type, by client and by account, before it is known whether the code is right.
   * @param accountId whose tries they are
   * @returns call it when the code was right: only wrong ones stay counted
   * @throws ApiError overRequestRate
   */
  takeGuess(
    limit: GuessLimit,
    request: Pick<ApiRequest, 'headerValues' | 'socketAddress'>,
    accountId: string,
  ): Promise<() => Promise<void>>;
  /**
   * One message per recipient and interval (docs/decisions.md, Send intervals; SEC-70).
   * @param recipient normalised address or number
   * @param intervalSeconds 0: no limit
   * @throws ApiError tooSoonForEmail or tooSoonForSms, with the remaining seconds
   */
  takeForRecipient(limit: RecipientLimit, recipient: string, intervalSeconds: number): Promise<void>;
  /** Undoes the last count: a failed message uses up no interval. */
  refundRecipient(limit: RecipientLimit, recipient: string): Promise<void>;
  /** The request sends nothing to the recipient: its intervals go back if messages fail, as those of others do. */
  shareFate(channel: Channel, limits: readonly RecipientLimit[], recipient: string, intervalSeconds: number): void;
  /** @param isDelivered false: nothing can be sent now, to any recipient */
  noteDelivery(channel: Channel, isDelivered: boolean, tookMs: number): void;
  /**
   * The server-wide quota of RATE_LIMIT_EMAIL_SENT or RATE_LIMIT_SMS_SENT; skipped with autoconfirm.
   * @throws ApiError overEmailQuota, overSmsQuota
   */
  takeQuota(channel: 'email' | 'phone'): Promise<void>;
  /**
   * Counts a notice for RATE_LIMIT_NOTIFICATIONS_SENT, by kind and recipient, so that no account uses up the notices of another.
   * @returns false: it must not be sent
   */
  takeNotice(kind: NoticeKind, recipient: string): Promise<boolean>;
  /**
   * A counter was deleted: this thread asks the database about the next request, as the others do within 5 s.
   * @param name of the counter, as in the table
   */
  forget(name: string, key: string): void;
  /** Rejections by limit since the start, and the number of keys rejected from memory. */
  stats(): { readonly rejections: Readonly<Record<string, number>>; readonly remembered: number };
}
