/**
 * Who and what caused a change: the triggers that write events read it (migration 00012). With events off there is none,
 * and a statement costs one look-up in an empty store.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface ChangeOrigin {
  readonly request_id?: string;
  readonly ip?: string | null;
  /** Absent for a request without a caller: the user acts on its own account. */
  readonly actor?: {
    readonly type: 'user' | 'admin' | 'operator' | 'scim' | 'unknown';
    readonly id?: string | null;
    readonly role?: string;
  };
  /** Of an account that an administrator makes, not the user. */
  readonly created_by?: 'admin';
  /** Changes that are no events: moving in, and cleaning up. */
  readonly mute?: true;
}

const origins = new AsyncLocalStorage<ChangeOrigin>();

/** Runs `work`: its statements, except reads and batches, carry the origin. */
export const withOrigin = <Result>(origin: ChangeOrigin, work: () => Result): Result => origins.run(origin, work);

/**
 * For a transaction whose changes are no events. Given to it, and not by {@link withOrigin}: it is also where events are off, as far as
 * this thread knows, since triggers learn of the first webhook before threads do; there nothing is to be tracked.
 */
export const MUTED: ChangeOrigin = { mute: true };

/**
 * Runs `work` with the current origin and more. Without one, events are off, as far as this thread knows, and there stays none:
 * the first run() makes Node track every promise of the thread for good.
 */
export function withMoreOrigin<Result>(more: Omit<ChangeOrigin, 'mute'>, work: () => Result): Result {
  const origin = origins.getStore();
  return origin === undefined ? work() : origins.run({ ...origin, ...more }, work);
}

/** @returns JSON for the setting latchkey.origin of a transaction; null: none */
export function currentOrigin(): string | null {
  const origin = origins.getStore();
  return origin === undefined ? null : JSON.stringify(origin);
}

/** @param literal the origin as an SQL literal */
export const setOrigin = (literal: string): string => `select set_config('latchkey.origin', ${literal}, true)`;
