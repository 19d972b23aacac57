/** The statements of sql/queries/oauth-pushed.sql. */
import type { Statements } from './types.js';

/** What the page gets to know. */
export interface PushedHints {
  readonly login_hint: string | null;
  readonly ui_locales: string | null;
}

/**
 * A browser comes with a request that its client has pushed. It gets an id that only the browser knows.
 * @returns undefined when there is none, it has expired, or was taken before
 */
export async function takePushedAuthorization(
  db: Statements,
  { handle, clientId }: { handle: string; clientId: string },
  id: string,
  ttlSeconds: number,
): Promise<PushedHints | undefined> {
  const values = [handle, clientId, id, ttlSeconds];
  return (await db.run<PushedHints>('oauth-pushed.take', values))[0];
}
