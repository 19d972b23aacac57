/** The statements of sql/queries/oauth-logouts.sql. */
import type { OauthClientRow } from './oauth-clients.js';
import type { Database } from './types.js';

/** A logout token that this sender has claimed. */
export interface ClaimedLogout {
  readonly id: string;
  readonly user_id: string;
  readonly session_id: string;
  /** Incremented by every claim; identifies this claim in later statements. */
  readonly attempts: number;
  readonly client: OauthClientRow;
}

type LogoutClaim = Pick<ClaimedLogout, 'id' | 'attempts'>;

export async function isLogoutDue(db: Database): Promise<boolean> {
  const [row] = await db.run<{ is_due: boolean }>('oauth-logouts.look', []);
  return row!.is_due;
}

/** @param busy clients that have enough attempts in progress */
export const claimLogouts = (
  db: Database,
  limits: { readonly all: number; readonly ofClient: number; readonly leaseSeconds: number },
  busy: readonly string[],
): Promise<ClaimedLogout[]> =>
  db.run<ClaimedLogout>('oauth-logouts.claim', [limits.all, limits.ofClient, limits.leaseSeconds, busy]);

export async function finishLogout(db: Database, { id, attempts }: LogoutClaim): Promise<void> {
  await db.run('oauth-logouts.finish', [id, attempts]);
}

export async function putBackLogout(db: Database, { id, attempts }: LogoutClaim, delaySeconds: number): Promise<void> {
  await db.run('oauth-logouts.put_back', [id, attempts, delaySeconds]);
}
