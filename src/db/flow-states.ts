/** The statements of sql/queries/flow-states.sql. */
import type { Database, Statements } from './types.js';
import { runForUser, type SignedInRow } from './user-rows.js';

/** A flow whose auth code was issued. */
export interface FoundFlow {
  id: string;
  authentication_method: string;
  code_challenge: string | null;
  code_challenge_method: string | null;
  user_id: string;
  provider: string;
  provider_access_token: string | null;
  provider_refresh_token: string | null;
  /** The account an identity is to be linked to; null: the code signs in. */
  linking_target_id: string | null;
  linking_session_id: string | null;
  /** For a link: the identity to link, sealed. */
  provider_state: string | null;
  age_seconds: number;
  email: string | null;
  phone: string | null;
  is_banned: boolean;
  /** Of the identity provider at which the user signed in; null: none. */
  organization_id: string | null;
}

export async function findFlowByAuthCode(db: Database, authCodeHash: string): Promise<FoundFlow | undefined> {
  return (await db.run<FoundFlow>('flow-states.flow_by_auth_code', [authCodeHash]))[0];
}

/**
 * Call it with the account locked, as every statement that ends its flows is.
 * @returns undefined when the auth code was used or ended in the meantime, or the account is banned
 */
export async function redeemFlow(
  statements: Statements,
  flowId: string,
  authCodeHash: string,
  client: { userAgent: string | null; ip: string | null },
  audit: readonly object[],
): Promise<SignedInRow | undefined> {
  return runForUser<SignedInRow>(statements, 'flow-states.redeem_flow', [
    flowId,
    authCodeHash,
    client.userAgent,
    client.ip,
    JSON.stringify(audit),
  ]);
}

export interface ExternalFlow {
  id: string;
  provider: string;
  codeChallenge: string | null;
  codeChallengeMethod: string | null;
  /** Null: any browser that returns the state may continue. */
  browserHash: string | null;
  /** Sealed. */
  providerState: string | null;
  redirectTo: string;
  inviteTokenHash: string | null;
  /** Account to link the identity to, while the session that asked is valid. */
  linkTo: LinkTarget | null;
  /** Flow of the hosted pages that the sign-in is part of. */
  pageFlowId: string | null;
  /** Trace of an operator that the sign-in is the attempt of. */
  traceId: string | null;
}

export interface LinkTarget {
  userId: string;
  sessionId: string;
}

export async function insertExternalFlow(db: Database, flow: ExternalFlow): Promise<void> {
  await db.run('flow-states.begin_external', [
    flow.id,
    flow.provider,
    flow.codeChallenge,
    flow.codeChallengeMethod,
    flow.browserHash,
    flow.providerState,
    flow.redirectTo,
    flow.inviteTokenHash,
    flow.linkTo?.userId ?? null,
    flow.linkTo?.sessionId ?? null,
    flow.pageFlowId,
    flow.traceId,
  ]);
}

/** A returned flow. Unless `is_taken`, another flag gives the reason, or the linking target is gone. */
export interface ReturnedFlow {
  provider: string;
  wants_auth_code: boolean;
  provider_state: string | null;
  redirect_to: string;
  invite_token_hash: string | null;
  linking_target_id: string | null;
  /** Null in a flow of the previous release, which did not store it. */
  linking_session_id: string | null;
  page_flow_id: string | null;
  trace_id: string | null;
  is_taken: boolean;
  is_used: boolean;
  is_expired: boolean;
  is_of_other_browser: boolean;
}

/** Claims a flow, once. @returns undefined when there is no such flow */
export async function claimExternalFlow(
  db: Database,
  flowId: string,
  browserHash: string | null,
  validSeconds: number,
): Promise<ReturnedFlow | undefined> {
  return (await db.run<ReturnedFlow>('flow-states.take_external', [flowId, browserHash, validSeconds]))[0];
}

/** @param sealed the identity to link and the provider's tokens. @returns false when the flow is gone */
export async function storeAuthCode(
  db: Database,
  flowId: string,
  authCodeHash: string,
  sealed: { link: string; accessToken: string | null; refreshToken: string | null },
): Promise<boolean> {
  const values = [flowId, authCodeHash, sealed.link, sealed.accessToken, sealed.refreshToken];
  return (await db.run('flow-states.await_exchange', values)).length === 1;
}
