/** The statements of sql/queries/redemptions.sql. Call them with the account locked. */
import type { FoundToken } from './one-time-tokens.js';
import type { Statements } from './types.js';
import { type Channel, type Metadata, runForUser, type SessionColumns, type UserRow } from './user-rows.js';

/** A redemption signs in with a session at once, or with the auth code of a PKCE flow. */
export interface Redemption {
  token: FoundToken;
  /** Null: PKCE. */
  sessionMethod: string | null;
  userAgent: string | null;
  ip: string | null;
  /** Null: no PKCE. */
  authCodeHash: string | null;
  audit: readonly object[];
}

/** What proves the address: a token, or null with an invitation to an organization. */
type Proving = Omit<Redemption, 'token'> & { token: Pick<FoundToken, 'id' | 'code_hash'> | null };

export type RedeemedRow = UserRow & Partial<SessionColumns>;

/**
 * @param password the hash an account without password gets, or one that replaces it; null: unchanged
 * @param invitedId the account, where there is no token
 * @returns undefined when the token was used in the meantime, or the account is banned
 */
export async function redeemConfirmation(
  statements: Statements,
  redemption: Proving,
  channel: Channel,
  password: { readonly hash: string; readonly replaces: boolean } | null,
  invitedId: string | null = null,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(statements, 'redemptions.confirmation', [
    token?.id ?? null,
    token?.code_hash ?? null,
    channel,
    password?.hash ?? null,
    password?.replaces ?? false,
    sessionMethod,
    userAgent,
    ip,
    authCodeHash,
    JSON.stringify(audit),
    invitedId,
  ]);
}

export interface SignUpAccount {
  userId: string;
  channel: Channel;
  role: string;
  /** Null: an account that exists keeps what it has. */
  passwordHash: string | null;
  identityData: Metadata;
  userMetadata: Metadata;
  /** Of the identity: the channel, or the provider. */
  provider: string;
  /** Subject at the provider; null: the user id. */
  subject: string | null;
  audience: string;
}

/**
 * @param invited the address, where there is no token
 * @returns undefined when the token was used in the meantime, or the address belongs to a banned account
 */
export async function redeemSignUp(
  statements: Statements,
  redemption: Proving,
  account: SignUpAccount,
  invited: string | null = null,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(statements, 'redemptions.sign_up', [
    token?.id ?? null,
    token?.code_hash ?? null,
    account.userId,
    account.channel,
    account.role,
    account.passwordHash,
    sessionMethod,
    userAgent,
    ip,
    authCodeHash,
    JSON.stringify(account.identityData),
    JSON.stringify(account.userMetadata),
    JSON.stringify(audit),
    account.provider,
    account.subject,
    account.audience,
    invited,
  ]);
}

/** @returns false when the token was used in the meantime */
export async function confirmEmailChangeSide(statements: Statements, token: FoundToken): Promise<boolean> {
  return (await statements.run('redemptions.email_change_side', [token.id, token.code_hash])).length === 1;
}

/** @returns undefined when the token was used in the meantime, or no change is pending */
export async function redeemChange(
  statements: Statements,
  redemption: Redemption,
  channel: Channel,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(statements, 'redemptions.change', [
    token.id,
    token.code_hash,
    channel,
    sessionMethod,
    userAgent,
    ip,
    authCodeHash,
    JSON.stringify(audit),
  ]);
}
