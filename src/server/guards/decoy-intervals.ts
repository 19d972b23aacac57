/**
 * Intervals of requests that sent nothing, because of what is known or unknown about their recipient. A message that fails
 * gives its interval back, and so do they while messages fail: the next request is answered alike for both (SEC-48, SEC-92).
 */
import type { Channel } from '../../db/user-rows.js';
import type { RecipientLimit } from './contract.js';

interface Decoy {
  readonly limits: readonly RecipientLimit[];
  readonly recipient: string;
  readonly since: number;
  readonly until: number;
}

/** About 2 MB when full; the oldest goes. */
const MAX_DECOYS = 10_000;

export class DecoyIntervals {
  readonly #waiting: Readonly<Record<Channel, Map<string, Decoy>>> = { email: new Map(), phone: new Map() };
  /** How long the last message took to fail; null: the last one was sent. */
  readonly #failingMs: Record<Channel, number | null> = { email: null, phone: null };
  private readonly refund: (limit: RecipientLimit, recipient: string) => Promise<void>;
  private readonly now: () => number;

  /** @param refund gives an interval back @param now milliseconds of a clock that never goes back */
  constructor(refund: (limit: RecipientLimit, recipient: string) => Promise<void>, now = () => performance.now()) {
    this.refund = refund;
    this.now = now;
  }

  /** A request that sent nothing. @param intervalSeconds after them the interval is over anyway */
  add(channel: Channel, limits: readonly RecipientLimit[], recipient: string, intervalSeconds: number): void {
    if (limits.length === 0 || intervalSeconds <= 0) return;
    const since = this.now();
    const decoy = { limits, recipient, since, until: since + intervalSeconds * 1000 };
    const failingMs = this.#failingMs[channel];
    if (failingMs !== null) {
      this.#giveBack(decoy, failingMs);
      return;
    }
    const waiting = this.#waiting[channel];
    const key = `${limits} ${recipient}`;
    waiting.delete(key);
    if (waiting.size >= MAX_DECOYS) waiting.delete(waiting.keys().next().value!);
    waiting.set(key, decoy);
  }

  /**
   * How a message fared that was sent.
   * @param isDelivered false: nothing could be sent, to any recipient. A refused recipient is no such failure: anyone could bring it about
   */
  note(channel: Channel, isDelivered: boolean, tookMs: number): void {
    this.#failingMs[channel] = isDelivered ? null : tookMs;
    const decoys = [...this.#waiting[channel].values()];
    this.#waiting[channel].clear();
    if (isDelivered) return;
    for (const decoy of decoys) if (decoy.until > this.now()) this.#giveBack(decoy, tookMs);
  }

  /** As late as that of a message. */
  #giveBack({ limits, recipient, since }: Decoy, tookMs: number): void {
    const refundAll = () => Promise.all(limits.map((limit) => this.refund(limit, recipient))).catch(() => undefined);
    setTimeout(() => void refundAll(), Math.max(0, since + tookMs - this.now())).unref();
  }
}
