/** Typed doors to sql/queries/redemptions.sql; each in a transaction that has locked the account. */
import type { FoundToken } from './one-time-tokens.js';
import type { Statements } from './types.js';
import { type Channel, type Metadata, runForUser, type SessionColumns, type UserRow } from './users.js';

/** How a redemption signs in: a session at once, or the auth code of a PKCE flow. */
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

export type RedeemedRow = UserRow & Partial<SessionColumns>;

/**
 * @param password the hash an account without password gets, or one that replaces the account's; null: none
 * @returns undefined when the token had been used meanwhile, or the account was banned
 */
export async function redeemConfirmation(
  statements: Statements,
  redemption: Redemption,
  channel: Channel,
  password: { readonly hash: string; readonly replaces: boolean } | null,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(statements, 'redemptions.confirmation', [
    token.id,
    token.code_hash,
    channel,
    password?.hash ?? null,
    password?.replaces ?? false,
    sessionMethod,
    userAgent,
    ip,
    authCodeHash,
    JSON.stringify(audit),
  ]);
}

export interface NewAccount {
  userId: string;
  channel: Channel;
  role: string;
  passwordHash: string;
  identityData: Metadata;
  userMetadata: Metadata;
  /** Of the identity: the channel, or where the person came from. */
  provider: string;
  /** Id of the person there; null: the user id. */
  subject: string | null;
  audience: string;
}

/** @returns undefined when the token had been used meanwhile, or the address belongs to a banned account */
export async function redeemSignUp(
  statements: Statements,
  redemption: Redemption,
  account: NewAccount,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(statements, 'redemptions.sign_up', [
    token.id,
    token.code_hash,
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
  ]);
}

/** @returns false when the token had been used meanwhile */
export async function confirmEmailChangeSide(statements: Statements, token: FoundToken): Promise<boolean> {
  return (await statements.run('redemptions.email_change_side', [token.id, token.code_hash])).length === 1;
}

/** @returns undefined when the token had been used meanwhile, or nothing is pending any more */
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
