/** Typed doors to sql/queries/flow-states.sql. */
import type { Database } from './types.js';
import { runForUser, type SignedInRow } from './users.js';

/** A flow whose auth code has been handed out. */
export interface FoundFlow {
  id: string;
  authentication_method: string;
  code_challenge: string | null;
  code_challenge_method: string | null;
  user_id: string;
  provider: string;
  provider_access_token: string | null;
  provider_refresh_token: string | null;
  age_seconds: number;
  email: string | null;
  phone: string | null;
  is_banned: boolean;
}

export async function findFlowByAuthCode(db: Database, authCodeHash: string): Promise<FoundFlow | undefined> {
  return (await db.run<FoundFlow>('flow-states.flow_by_auth_code', [authCodeHash]))[0];
}

/** @returns undefined when the auth code had been used meanwhile, or the account was banned */
export async function redeemFlow(
  db: Database,
  flowId: string,
  authCodeHash: string,
  client: { userAgent: string | null; ip: string | null },
  audit: readonly object[],
): Promise<SignedInRow | undefined> {
  return runForUser<SignedInRow>(db, 'flow-states.redeem_flow', [
    flowId,
    authCodeHash,
    client.userAgent,
    client.ip,
    JSON.stringify(audit),
  ]);
}
