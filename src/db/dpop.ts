/** The statements of sql/queries/dpop.sql. */
import type { Statements } from './types.js';

/**
 * @param id hash of the key and the id of the proof
 * @param expiresAt seconds since the epoch
 * @returns false when the proof was used before, here or at another instance
 */
export const useProof = async (db: Statements, id: Buffer, expiresAt: number): Promise<boolean> =>
  (await db.run('dpop.use_proof', [id, expiresAt])).length === 1;
