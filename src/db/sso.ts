/** The statements of sql/queries/sso.sql. */
import type { Database, Statements } from './types.js';
import { type Metadata, runForUser, type SessionColumns, type UserRow } from './user-rows.js';

export interface NewRelayState {
  readonly id: string;
  readonly providerId: string;
  readonly requestId: string;
  readonly redirectTo: string;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: string | null;
  /** Flow of the hosted pages that the sign-in is part of; null: none. */
  readonly pageFlowId: string | null;
  /** Trace of which the sign-in is the test; null: none. */
  readonly traceId: string | null;
}

export async function insertRelayState(db: Database, state: NewRelayState, validSeconds: number): Promise<void> {
  await db.run('sso.begin_sign_in', [
    state.id,
    state.providerId,
    state.requestId,
    state.redirectTo,
    state.codeChallenge,
    state.codeChallengeMethod,
    state.pageFlowId,
    validSeconds,
    state.traceId,
  ]);
}

export interface RelayState {
  readonly provider_id: string;
  readonly request_id: string;
  readonly redirect_to: string;
  readonly code_challenge: string | null;
  readonly code_challenge_method: string | null;
  readonly page_flow_id: string | null;
  /** Of a test, which signs no one in. */
  readonly trace_id: string | null;
  /** Another answer got it. */
  readonly is_used: boolean;
  readonly is_expired: boolean;
}

/** It is used up. @returns undefined when there is none, or another answer got it that belongs to no page */
export async function takeRelayState(db: Database, id: string): Promise<RelayState | undefined> {
  return (await db.run<RelayState>('sso.take_relay_state', [id]))[0];
}

export interface SsoAccount {
  readonly id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly full_name: string | null;
  readonly is_sso_user: boolean;
  readonly is_banned: boolean;
}

/** @param provider of the identity, `sso:<id>` */
export async function findSsoAccount(db: Database, provider: string, subject: string): Promise<SsoAccount | undefined> {
  return (await db.run<SsoAccount>('sso.account', [provider, subject]))[0];
}

/** One that a person of a provider joins. */
export interface SsoAccountToJoin extends SsoAccount {
  readonly email: string;
  readonly user_metadata: Metadata;
}

/**
 * @param provider of the identity, `sso:<id>`
 * @param email lower case
 * @param roles all that the provider gives
 */
export async function findSsoAccountToJoin(
  statements: Statements,
  provider: string,
  organizationId: string,
  email: string,
  roles: readonly string[],
): Promise<SsoAccountToJoin | undefined> {
  const values = [provider, organizationId, email, roles];
  return (await statements.run<SsoAccountToJoin>('sso.account_to_join', values))[0];
}

export interface SsoSignInInput {
  readonly userId: string;
  readonly provider: string;
  readonly subject: string;
  readonly identityData: Metadata;
  readonly email: string;
  /** Null: the account exists. */
  readonly newUser: { readonly aud: string; readonly role: string } | null;
  readonly trustedClaims: Metadata | null;
  readonly assertion: { readonly hash: string; readonly endsAt: string };
  readonly providerId: string;
  readonly notAfter: string | null;
  readonly saml: object;
  readonly userAgent: string | null;
  readonly ip: string | null;
  /** PKCE: an auth code in place of a session. */
  readonly flow: {
    readonly id: string;
    readonly auth_code_hash: string;
    readonly code_challenge: string;
    readonly code_challenge_method: string;
  } | null;
  readonly audit: readonly object[];
  /** Other addresses than those of domains that the provider has proven count as not proven. */
  readonly isProofNeeded: boolean;
}

/**
 * @returns undefined when the assertion was used before, the account is gone or banned, or the provider is gone or disabled
 * @throws a unique violation (23505) when another sign-in made the account in the meantime
 */
export function signInSso(
  db: Statements,
  input: SsoSignInInput,
): Promise<(UserRow & Partial<SessionColumns>) | undefined> {
  return runForUser<UserRow & Partial<SessionColumns>>(db, 'sso.sign_in', [
    input.userId,
    input.provider,
    input.subject,
    JSON.stringify(input.identityData),
    input.email,
    JSON.stringify(input.newUser === null ? [] : [input.newUser]),
    input.trustedClaims && JSON.stringify(input.trustedClaims),
    input.assertion.hash,
    input.assertion.endsAt,
    input.providerId,
    input.notAfter,
    JSON.stringify(input.saml),
    input.flow === null,
    input.userAgent,
    input.ip,
    JSON.stringify(input.flow === null ? [] : [input.flow]),
    JSON.stringify(input.audit),
    input.isProofNeeded,
  ]);
}

export interface SsoLinkInput {
  readonly userId: string;
  readonly provider: string;
  readonly subject: string;
  readonly identityData: Metadata;
  readonly audit: readonly object[];
}

/**
 * Call it with the account locked.
 * @returns undefined when the account is gone
 * @throws a unique violation (23505) when the person has an account
 */
export function linkSsoAccount(statements: Statements, input: SsoLinkInput): Promise<UserRow | undefined> {
  const { userId, provider, subject, identityData, audit } = input;
  const values = [userId, provider, subject, JSON.stringify(identityData), JSON.stringify(audit)];
  return runForUser<UserRow>(statements, 'sso.link', values);
}

export interface SsoRefusal {
  readonly is_used: boolean;
  /** It is disabled or gone. */
  readonly is_provider_off: boolean;
}

/** Why a sign-in wrote nothing. Neither: the account has changed. @param hash of the assertion */
export const readSsoRefusal = async (db: Database, hash: string, providerId: string): Promise<SsoRefusal> =>
  (await db.run<SsoRefusal>('sso.refusal', [hash, providerId]))[0]!;
