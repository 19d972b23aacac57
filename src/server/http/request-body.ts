/** Bodies as they arrive: within what their routes take, and what the memory for all of them has left (SEC-08, SEC-89). */
import { type Refusal, refuse } from '../errors.js';
import { bodyTooLarge, DEFAULT_BODY_BYTES } from './guard.js';

/** Most bytes of bodies that one thread holds at once, so that many slow senders cannot fill the memory (REL-20). */
const MAX_HELD_BYTES = 64 * 1_048_576;
/** What of it the counted bodies may fill; the rest is for those that are counted for nobody. */
const COUNTED_PART = 3 / 4;
/** A client's share of what the counted bodies of others leave. */
const SHARE = 1 / 16;
/** A body that comes in one piece of this size at most, as nearly all do, is counted for nobody: it is about to be read. */
const MAX_UNCOUNTED_BYTES = 16_384;

const EMPTY = Buffer.alloc(0);

/**
 * The memory for bodies that have not been answered. Long bodies, and those that arrive in pieces, are counted for their
 * clients: one alone may hold 2.8 MB, a further one 2.7, and after thirty greedy ones the next still gets 450 kB. However
 * many there are, a quarter of the memory is left to short bodies that arrive whole.
 */
export class BodyBudget {
  readonly #countedFor = new Map<string, number>();
  #counted = 0;
  #held = 0;

  constructor(private readonly most = MAX_HELD_BYTES) {}

  get held(): number {
    return this.#held;
  }

  /**
   * @param client whose share it counts against; null: nobody's
   * @returns false when there is no room
   */
  hold(count: number, client: string | null): boolean {
    if (this.#held + count > this.most) return false;
    if (client !== null) {
      const mine = (this.#countedFor.get(client) ?? 0) + count;
      const free = this.most * COUNTED_PART - this.#counted - count;
      if (mine > free * SHARE) return false;
      this.#countedFor.set(client, mine);
      this.#counted += count;
    }
    this.#held += count;
    return true;
  }

  /** @param client as it was held */
  free(count: number, client: string | null): void {
    this.#held -= count;
    if (client === null) return;
    this.#counted -= count;
    const mine = this.#countedFor.get(client)! - count;
    if (mine > 0) this.#countedFor.set(client, mine);
    else this.#countedFor.delete(client);
  }
}

/** What a body asks of its request, where it is not one of the many small ones. */
export interface BodySender {
  /** Most bytes its route takes. */
  readonly bodyLimit: number;
  /** Whose share of the budget it counts against. */
  readonly clientKey: string;
}

export class RequestBody {
  readonly #budget: BodyBudget;
  readonly #sender: BodySender;
  #chunks: Buffer[] = [];
  #length = 0;
  #client: string | null = null;

  constructor(budget: BodyBudget, sender: BodySender) {
    this.#budget = budget;
    this.#sender = sender;
  }

  /** The whole of it; empty when it was dropped. */
  get bytes(): Buffer {
    if (this.#chunks.length === 1) return this.#chunks[0]!;
    return this.#chunks.length === 0 ? EMPTY : Buffer.concat(this.#chunks);
  }

  /** @returns why it cannot be taken, judged by its announced length; null: it may come */
  judge(announcedBytes: number): Refusal | null {
    if (announcedBytes <= DEFAULT_BODY_BYTES) return null;
    const { bodyLimit } = this.#sender;
    return announcedBytes > bodyLimit ? bodyTooLarge(bodyLimit) : null;
  }

  /**
   * Copies what has come.
   * @param chunk emptied by the engine afterwards
   * @returns why no more of it is taken; null: it was
   */
  take(chunk: ArrayBuffer, isLast: boolean): Refusal | null {
    const size = chunk.byteLength;
    if (size === 0) return null;
    const refusal = this.judge(this.#length + size);
    if (refusal !== null) return refusal;
    if (this.#client === null && (!isLast || size > MAX_UNCOUNTED_BYTES)) this.#client = this.#sender.clientKey;
    if (!this.#budget.hold(size, this.#client)) return refuse('overloaded', {}, { retryAfterSeconds: 1 });
    this.#length += size;
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)));
    return null;
  }

  /** Gives its memory back. */
  drop(): void {
    this.#chunks = [];
    if (this.#length > 0) this.#budget.free(this.#length, this.#client);
    this.#length = 0;
  }
}
