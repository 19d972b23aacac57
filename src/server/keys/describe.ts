import type { SigningKeyRow } from '../../db/signing-keys.js';

/** A key as it is shown to people. */
export interface DescribedKey {
  readonly kid: string;
  readonly alg: string;
  readonly state: SigningKeyRow['state'];
  readonly since: string;
  /** When a standby key signs, or a previous one is retired; null: not by itself. */
  readonly next_state_at: string | null;
  /** The last minute in which a token was verified with it. */
  readonly last_used_at: string | null;
  /** When the last token of a previous key has expired; null: there is none any more, or new ones are signed. */
  readonly tokens_live_until: string | null;
}

/** @param liveSeconds how long a key verifies after it has stopped signing */
export function describeStoredKey(row: SigningKeyRow, liveSeconds: number): DescribedKey {
  const { kid, alg, state, since, due_at, last_used_at } = row;
  const end = new Date(Date.parse(since) + liveSeconds * 1000);
  const ended = state === 'previous' && end.getTime() > Date.now() ? end.toISOString() : null;
  return { kid, alg, state, since, next_state_at: due_at, last_used_at, tokens_live_until: ended };
}
