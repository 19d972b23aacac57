/** The statements of sql/queries/wallets.sql. */
import type { Statements } from './types.js';

export interface UsedUp {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * @param things the message, and its nonce where it counts
 * @param subjects spellings of one address
 * @returns whether all of them are used for the first time, here or at another instance, and the subjects that
 *   identities have, oldest first
 */
export async function useMessage(
  db: Statements,
  things: readonly UsedUp[],
  subjects: readonly string[],
): Promise<{ readonly isNew: boolean; readonly known: readonly string[] }> {
  const ids = things.map(({ id }) => id);
  const ends = things.map(({ expiresAt }) => expiresAt);
  const [row] = await db.run<{ used: number; known: string[] | null }>('wallets.use_message', [ids, ends, subjects]);
  return { isNew: row!.used === things.length, known: row!.known ?? [] };
}
