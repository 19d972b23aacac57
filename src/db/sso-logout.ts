/** The statements of sql/queries/sso-logout.sql. */
import type { SessionOwner } from './oauth-sessions.js';
import type { Database } from './types.js';

export interface NewLogout {
  /** The RelayState. */
  readonly id: string;
  readonly providerId: string;
  /** ID of our request. */
  readonly requestId: string;
  readonly redirectTo: string;
  /** XML. */
  readonly request: string;
  /** Flow of the hosted pages that it is part of; null: none. */
  readonly pageFlowId: string | null;
}

export async function insertLogout(db: Database, logout: NewLogout, validSeconds: number): Promise<void> {
  const { id, providerId, requestId, redirectTo, request, pageFlowId } = logout;
  await db.run('sso-logout.begin', [id, providerId, requestId, redirectTo, request, pageFlowId, validSeconds]);
}

export interface StartedLogout {
  readonly provider_id: string;
  readonly logout_request: string;
  readonly is_expired: boolean;
}

/** A log-out whose request is about to be sent. */
export async function readLogout(db: Database, id: string): Promise<StartedLogout | undefined> {
  return (await db.run<StartedLogout>('sso-logout.started', [id]))[0];
}

export interface TakenLogout {
  readonly provider_id: string;
  readonly request_id: string;
  readonly redirect_to: string;
  readonly page_flow_id: string | null;
}

/** Deletes it. @returns undefined when there is none, or another answer got it */
export async function takeLogout(db: Database, id: string): Promise<TakenLogout | undefined> {
  return (await db.run<TakenLogout>('sso-logout.take', [id]))[0];
}

export interface EndedByProvider {
  readonly providerId: string;
  readonly nameId: string;
  /** Empty: all sessions of that name. */
  readonly sessionIndexes: readonly string[];
  /** Of the message, so that it counts once. */
  readonly hash: string;
  readonly endsAt: string;
  readonly audit: readonly object[];
}

/** @returns whose sessions have ended */
export function endSsoSessions(db: Database, ended: EndedByProvider): Promise<SessionOwner[]> {
  return db.run<SessionOwner>('sso-logout.end_sessions', [
    ended.providerId,
    ended.nameId,
    ended.sessionIndexes,
    ended.hash,
    ended.endsAt,
    JSON.stringify(ended.audit),
  ]);
}
