/** The statements of sql/queries/import-sessions.sql. */
import type { Database } from './types.js';
import type { ClientClaims } from './user-rows.js';

/** A session as it is stored. Timestamps are RFC 3339. */
export interface ImportedSession {
  id: string;
  user_id: string;
  /** Of the session and its tokens as they were read. */
  digest: string;
  generation: number;
  refreshed_at: string | null;
  aal: string;
  amr: readonly { method: string; timestamp: number; provider?: string }[];
  /** Method of each second factor that has raised it → id of the factor. */
  second_factors: Readonly<Record<string, string>> | null;
  user_agent: string | null;
  ip: string | null;
  tag: string | null;
  not_after: string | null;
  revoked_at: string | null;
  created_at: string;
  /** Null: it is the user's own. */
  oauth_client_id: string | null;
  /** Provider of the company at which it began; null: it did not. */
  sso_provider_id: string | null;
  /** Claims of the client's access tokens. */
  client: ClientClaims | null;
  /** Sealed; null: the tokens do not name their session. */
  token_key: string | null;
}

export interface ImportedToken {
  token_hash: string;
  generation: number;
}

export interface ImportSession {
  session: ImportedSession;
  tokens: readonly ImportedToken[];
}

/** The verdicts are explained at the statement. */
export type SessionVerdict = 'imported' | 'changed' | 'same' | 'kept' | 'ended' | 'there' | 'no_account' | 'no_client';

/** @returns a verdict for each session, in order */
export async function importSessions(db: Database, sessions: readonly ImportSession[]): Promise<SessionVerdict[]> {
  const rows = await db.run<{ position: number; verdict: SessionVerdict }>('import-sessions.sessions', [
    JSON.stringify(sessions.map(({ session }, position) => ({ position, ...session }))),
    JSON.stringify(
      sessions.flatMap(({ session, tokens }) => tokens.map((token) => ({ session_id: session.id, ...token }))),
    ),
  ]);
  const verdicts: SessionVerdict[] = [];
  for (const { position, verdict } of rows) verdicts[position] = verdict;
  return verdicts;
}

/**
 * Ends what an earlier run brought from between two ids, and is no longer there; not what was refreshed here since.
 * @param afterId null: from the beginning
 * @param lastId null: to the end
 * @param present the ids that are still there
 * @returns the number of ended sessions
 */
export async function endGoneSessions(
  db: Database,
  afterId: string | null,
  lastId: string | null,
  present: readonly string[],
): Promise<number> {
  const [row] = await db.run<{ ended: number }>('import-sessions.end_gone', [afterId, lastId, present]);
  return row!.ended;
}
