/** The statements of sql/queries/oauth-authorizations.sql. */
import type { OauthClientRow } from './oauth-clients.js';
import type { KnownClient } from './sessions.js';
import type { Statements } from './types.js';
import { type AmrEntry, runForUser, type SignedInRow } from './user-rows.js';

export type ChallengeMethod = 's256' | 'plain';

export interface NewAuthorization {
  readonly id: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** As sent. */
  readonly scope: string;
  readonly scopes: readonly string[];
  readonly state: string | null;
  readonly nonce: string | null;
  readonly resources: readonly string[];
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: ChallengeMethod | null;
  readonly asksConsent: boolean;
  readonly maxAgeSeconds: number | null;
  readonly loginHint: string | null;
  /** Languages for the page. */
  readonly uiLocales: string | null;
  /** pushed: it waits for the browser, under an id that the client knows. */
  readonly status: 'pending' | 'pushed';
  /** Thumbprint of the key that the code will be bound to (RFC 9449 10). */
  readonly dpopJkt: string | null;
  /** Id or slug of the organization that the client names. */
  readonly askedOrganization: string | null;
  /** The user chooses the organization in any case. */
  readonly asksOrganization: boolean;
}

export async function insertAuthorization(db: Statements, request: NewAuthorization): Promise<void> {
  await db.run('oauth-authorizations.begin', [
    request.id,
    request.clientId,
    request.redirectUri,
    request.scope,
    request.scopes,
    request.state,
    request.nonce,
    request.resources,
    request.codeChallenge,
    request.codeChallengeMethod,
    request.asksConsent,
    request.maxAgeSeconds,
    request.loginHint,
    request.status,
    request.uiLocales,
    request.dpopJkt,
    request.askedOrganization,
    request.asksOrganization,
  ]);
}

/** A request that waits for the decision of its user. */
export interface OpenedAuthorization {
  readonly request: {
    readonly id: string;
    readonly redirect_uri: string;
    readonly scope: string;
    readonly scopes: readonly string[];
    readonly state: string | null;
    readonly asks_consent: boolean;
    readonly max_age_seconds: number | null;
    readonly login_hint: string | null;
    readonly asked_organization: string | null;
    readonly asks_organization: boolean;
  };
  readonly client: OauthClientRow;
  /** The user had not opened it before. */
  readonly is_first: boolean;
  /** Scopes of the remembered consent; null: none. */
  readonly consented: readonly string[] | null;
  /** Ids of the organizations that it was given for. */
  readonly consented_organizations: readonly string[] | null;
  readonly session_age_seconds: number | null;
  /** Of the request. */
  readonly age_seconds: number;
}

/**
 * @param formerOwners users from whom this one may take the request over
 * @returns undefined when it cannot be opened, for any reason
 */
export async function openAuthorization(
  db: Statements,
  id: string,
  owner: { userId: string; sessionId: string },
  ttlSeconds: number,
  formerOwners: readonly string[],
): Promise<OpenedAuthorization | undefined> {
  const values = [id, owner.userId, owner.sessionId, ttlSeconds, formerOwners];
  return (await db.run<OpenedAuthorization>('oauth-authorizations.open', values))[0];
}

export type AuthorizationStatus = 'pushed' | 'pending' | 'approved' | 'denied' | 'redeemed';

export interface AuthorizationState {
  readonly status: AuthorizationStatus;
  readonly is_unopened: boolean;
  /** Null: of a device. */
  readonly redirect_uri: string | null;
  readonly client: OauthClientRow;
  readonly scopes: readonly string[];
  readonly asked_organization: string | null;
  readonly asks_organization: boolean;
}

/** @returns undefined when there is none that this user may see */
export async function readAuthorizationState(
  db: Statements,
  id: string,
  userId: string,
  ttlSeconds: number,
): Promise<AuthorizationState | undefined> {
  return (await db.run<AuthorizationState>('oauth-authorizations.state', [id, userId, ttlSeconds]))[0];
}

/** A request that is decided. */
export interface DecidedRequest {
  readonly id: string;
  /** Of a device, which nobody has to open before: the code that its user has typed. Null: the user has opened it. */
  readonly userCode: string | null;
  /** Id of the organization that it is allowed for; null: for none. */
  readonly organizationId: string | null;
}

/** Where the client waits for the answer. */
export interface AnswerTarget {
  readonly client_id: string;
  /** Null: a device polls. */
  readonly redirect_uri: string | null;
  readonly state: string | null;
}

/**
 * Call it with the account locked.
 * @param codeHash null: the code is that of the device
 * @returns undefined when it cannot be approved, for any reason
 */
export async function approveAuthorization(
  db: Statements,
  { id, userCode, organizationId }: DecidedRequest,
  owner: { userId: string; sessionId: string },
  ttlSeconds: number,
  codeHash: string | null,
  audit: readonly object[],
): Promise<AnswerTarget | undefined> {
  const { userId, sessionId } = owner;
  const values = [id, userId, sessionId, ttlSeconds, codeHash, JSON.stringify(audit), userCode, organizationId];
  return (await db.run<AnswerTarget>('oauth-authorizations.approve', values))[0];
}

/** @returns undefined when it cannot be denied, for any reason */
export async function denyAuthorization(
  db: Statements,
  { id, userCode }: Pick<DecidedRequest, 'id' | 'userCode'>,
  userId: string,
  ttlSeconds: number,
  audit: readonly object[],
): Promise<AnswerTarget | undefined> {
  const values = [id, userId, ttlSeconds, JSON.stringify(audit), userCode];
  return (await db.run<AnswerTarget>('oauth-authorizations.deny', values))[0];
}

/** What a client presents with its code. */
export interface PresentedCode {
  readonly codeHash: string;
  /** Null: not sent. */
  readonly redirectUri: string | null;
  readonly codeVerifier: string | null;
  /** SHA-256 of the verifier, base64url. */
  readonly verifierHash: string | null;
  /** Null: all of the request. */
  readonly resources: readonly string[] | null;
  /** It is the code of a device (RFC 8628). */
  readonly isOfDevice: boolean;
  /** Thumbprint of the key that the client has proven (RFC 9449). */
  readonly jkt: string | null;
}

export type RedeemedCode = SignedInRow & {
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  /** When the session of the user who approved began; seconds since the epoch. */
  readonly auth_time: number;
  /** How that session was opened and raised. */
  readonly approved_amr: readonly AmrEntry[];
  /** Of the organization that the session acts for; null: none. */
  readonly organization_name: string | null;
};

/** @returns undefined when it cannot be exchanged, for any reason */
export async function redeemCode(
  db: Statements,
  code: PresentedCode,
  client: KnownClient,
  ttls: { codeSeconds: number; sessionSeconds: number | null },
  session: { id: string; userAgent: string | null; ip: string | null; isKeyBound: boolean },
  audit: readonly object[],
): Promise<RedeemedCode | undefined> {
  return runForUser<RedeemedCode>(db, 'oauth-authorizations.redeem_code', [
    code.codeHash,
    client.id,
    client.version,
    code.redirectUri,
    code.codeVerifier,
    code.verifierHash,
    code.resources,
    ttls.codeSeconds,
    ttls.sessionSeconds,
    session.userAgent,
    session.ip,
    JSON.stringify(audit),
    session.id,
    code.isOfDevice,
    code.jkt,
    session.isKeyBound,
  ]);
}

export interface CodeState {
  readonly status: AuthorizationStatus;
  readonly issued_session_id: string | null;
  readonly is_own: boolean;
  readonly user_id: string;
  readonly is_expired: boolean;
  readonly is_redirect_uri_right: boolean;
  readonly is_verifier_right: boolean;
  readonly is_key_right: boolean;
  /** The client serves all users, or an organization of this one. */
  readonly is_served: boolean;
  readonly resources: readonly string[];
  readonly is_banned: boolean;
  readonly is_deleted: boolean;
}

/** @returns undefined for an unknown code */
export async function readCodeState(
  db: Statements,
  code: PresentedCode,
  clientId: string,
  codeSeconds: number,
): Promise<CodeState | undefined> {
  const { codeHash, redirectUri, codeVerifier, verifierHash, jkt } = code;
  const values = [codeHash, clientId, codeSeconds, redirectUri, codeVerifier, verifierHash, jkt];
  return (await db.run<CodeState>('oauth-authorizations.code_state', values))[0];
}
