import { memoize } from '../../caching/memoize.js';
import { areSessionsMoved, findOpaqueToken, findTokenKey } from '../../db/moved-tokens.js';
import type { Database } from '../../db/types.js';
import type { App } from '../runtime/app.js';
import { hashOpaqueToken, hasPeerMac, isOpaqueToken, readPeerToken } from './peer-token.js';
import type { RefreshToken } from './refresh-token.js';

/** A token of supabase/auth as the token of ours it stands for (docs/decisions.md, Imported sessions). */
export interface MovedToken extends RefreshToken {
  /** Generation of the session when it was imported. */
  readonly movedGeneration: number;
}

/** Without imported sessions, texts of any number cause one query in this time. */
const LOOK_EVERY_MS = 1000;

/** Sessions come by `users import`, also while the server runs, and once there are some the answer stays yes. */
const imports = memoize((db: Database) => {
  let areThere: boolean | undefined;
  let lookedAtMs = 0;
  return async (): Promise<boolean> => {
    if (areThere === true) return true;
    if (areThere === false && Date.now() - lookedAtMs < LOOK_EVERY_MS) return false;
    lookedAtMs = Date.now();
    try {
      areThere = await areSessionsMoved(db);
    } catch (error) {
      // Without a database a forged token is refused as before (SEC-54).
      if (areThere === undefined) throw error;
    }
    return areThere;
  };
});

/**
 * Looks a token up that is not ours. One query for a text in a format of supabase/auth, none for others, nor where no
 * session was imported.
 * @returns undefined when it is unknown
 */
export async function findMovedToken(app: Pick<App, 'db' | 'keys'>, text: string): Promise<MovedToken | undefined> {
  const isOpaque = isOpaqueToken(text);
  const token = isOpaque ? undefined : readPeerToken(text);
  if (!isOpaque && token === undefined) return undefined;
  if (!(await imports(app.db)())) return undefined;
  if (token === undefined) {
    const keys = app.keys.movedToken.accepted(Date.now());
    const row = await findOpaqueToken(
      app.db,
      keys.map((key) => hashOpaqueToken(text, key)),
    );
    if (row === undefined) return undefined;
    return { sessionId: row.session_id, generation: row.generation, movedGeneration: row.moved_generation };
  }
  const row = await findTokenKey(app.db, token.sessionId);
  if (row === undefined) return undefined;
  const key = app.keys.movedTokenSealer.open(token.sessionId, row.token_key);
  if (key === null || !hasPeerMac(token, Buffer.from(key, 'base64url'))) return undefined;
  return { sessionId: token.sessionId, generation: token.counter, movedGeneration: row.moved_generation };
}
