/** The statements of sql/queries/moved-tokens.sql. */
import type { Database } from './types.js';

/** The generation of a session of ours that an imported token stands for. */
export interface MovedTokenRow {
  session_id: string;
  generation: number;
  /** Of the session when it was imported. */
  moved_generation: number;
}

/** @returns whether any session was imported */
export async function areSessionsMoved(db: Database): Promise<boolean> {
  const [row] = await db.run<{ are_there: boolean }>('moved-tokens.are_there', []);
  return row?.are_there === true;
}

/** @param hashes of the token, one for each accepted secret */
export async function findOpaqueToken(db: Database, hashes: readonly string[]): Promise<MovedTokenRow | undefined> {
  const [row] = await db.run<MovedTokenRow>('moved-tokens.opaque', [hashes]);
  return row;
}

export interface TokenKeyRow {
  /** Sealed. */
  token_key: string;
  moved_generation: number;
}

/** @returns undefined for a session that was not imported, has no such tokens, or has ended */
export async function findTokenKey(db: Database, sessionId: string): Promise<TokenKeyRow | undefined> {
  const [row] = await db.run<TokenKeyRow>('moved-tokens.token_key', [sessionId]);
  return row;
}
