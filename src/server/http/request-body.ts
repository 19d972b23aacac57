/** Request bodies: limited by endpoint, and by the memory for all of them (SEC-08, SEC-89). */
import { type ApiError, apiError } from '../errors.js';
import { bodyTooLarge, DEFAULT_BODY_BYTES } from './guard.js';

/** Limit of all bodies in one thread, so that many slow senders cannot exhaust the memory (REL-20). */
const MAX_HELD_BYTES = 64 * 1_048_576;
/** Part of it for bodies that count for a client; the rest is for those that do not. */
const COUNTED_PART = 3 / 4;
/** A client's share of what the other clients leave. */
const SHARE = 1 / 16;
/** A body that arrives in one piece of at most this size, as nearly all do, counts for no client. */
const MAX_UNCOUNTED_BYTES = 16_384;

const EMPTY = Buffer.alloc(0);

/**
 * The memory for bodies of unanswered requests. Long bodies, and those in several pieces, count for their client: the
 * first client may use 2.8 MB, the next one 2.7, and after thirty at their limit the next one still gets 450 kB. A
 * quarter of the memory is always left for short bodies in one piece.
 */
export class BodyBudget {
  readonly #countedFor = new Map<string, number>();
  #counted = 0;
  #held = 0;
  private readonly limit: number;

  constructor(limit = MAX_HELD_BYTES) {
    this.limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /**
   * @param client that it counts for; null: none
   * @returns false when the limit is reached
   */
  hold(count: number, client: string | null): boolean {
    if (this.#held + count > this.limit) return false;
    if (client !== null) {
      const mine = (this.#countedFor.get(client) ?? 0) + count;
      const free = this.limit * COUNTED_PART - this.#counted - count;
      if (mine > free * SHARE) return false;
      this.#countedFor.set(client, mine);
      this.#counted += count;
    }
    this.#held += count;
    return true;
  }

  /** @param client as passed to {@link hold} */
  free(count: number, client: string | null): void {
    this.#held -= count;
    if (client === null) return;
    this.#counted -= count;
    const mine = this.#countedFor.get(client)! - count;
    if (mine > 0) this.#countedFor.set(client, mine);
    else this.#countedFor.delete(client);
  }
}

/** What larger bodies need of their request. */
export interface BodySender {
  /** Limit of its endpoint, in bytes. */
  readonly bodyLimit: number;
  /** Client that it counts for. */
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

  /** The whole body; empty when it was dropped. */
  get bytes(): Buffer {
    if (this.#chunks.length === 1) return this.#chunks[0]!;
    return this.#chunks.length === 0 ? EMPTY : Buffer.concat(this.#chunks);
  }

  /** @returns the error for a body of this length; null: it is accepted */
  check(announcedBytes: number): ApiError | null {
    if (announcedBytes <= DEFAULT_BODY_BYTES) return null;
    const { bodyLimit } = this.#sender;
    return announcedBytes > bodyLimit ? bodyTooLarge(bodyLimit) : null;
  }

  /**
   * Copies a chunk.
   * @param chunk emptied by the engine afterwards
   * @returns why the body is rejected; null: the chunk was taken
   */
  take(chunk: ArrayBuffer, isLast: boolean): ApiError | null {
    const size = chunk.byteLength;
    if (size === 0) return null;
    const error = this.check(this.#length + size);
    if (error !== null) return error;
    if (this.#client === null && (!isLast || size > MAX_UNCOUNTED_BYTES)) this.#client = this.#sender.clientKey;
    if (!this.#budget.hold(size, this.#client)) return apiError('overloaded', {}, { retryAfterSeconds: 1 });
    this.#length += size;
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)));
    return null;
  }

  /** Releases its memory. */
  drop(): void {
    this.#chunks = [];
    if (this.#length > 0) this.#budget.free(this.#length, this.#client);
    this.#length = 0;
  }
}
