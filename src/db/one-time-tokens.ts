/** Typed doors to sql/queries/one-time-tokens.sql. */
import type { Database, Statements } from './types.js';
import { type Channel, type Metadata, runForUser, type SessionColumns, type UserRow } from './users.js';

/** A code or link that goes out, as it is stored: hashes only. */
export interface OneTimeTokenInput {
  kind: string;
  recipient: string;
  link_hash: string | null;
  code_hash: string;
  flow_state_id: string | null;
  /** The one session the code serves, for reauthentication. */
  session_id: string | null;
}

/** A mail as it waits in the outbox. */
export interface MailInput {
  id: string;
  kind: string;
  recipient_hash: string;
  sealed: string;
}

/** A PKCE flow that begins with a mail (RFC 7636 4.3). */
export interface FlowInput {
  id: string;
  authentication_method: string;
  code_challenge: string;
  code_challenge_method: string;
}

/** What is stamped on the account when codes go out. */
export type SendStamp = 'confirmation' | 'invite' | 'recovery' | 'email_change' | 'phone_change' | 'reauthentication';

export interface IssueInput {
  userId: string;
  tokens: readonly OneTimeTokenInput[];
  stamp: SendStamp;
  mails: readonly MailInput[];
  flow: FlowInput | null;
  audit: readonly object[];
}

const flowRows = (flow: FlowInput | null): string => JSON.stringify(flow === null ? [] : [flow]);

/** @returns undefined when the account is gone */
export async function issueTokens(db: Database, input: IssueInput): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'one-time-tokens.issue', [
    input.userId,
    JSON.stringify(input.tokens),
    input.stamp,
    JSON.stringify(input.mails),
    flowRows(input.flow),
    JSON.stringify(input.audit),
  ]);
}

/** What a pending sign-up keeps until its code comes back. */
export interface PendingSignUp {
  audience: string;
  data: Metadata;
  /** Of somebody who came from a provider that does not vouch for the address. */
  identity?: { provider: string; subject: string };
}

export async function issuePending(
  db: Database,
  kind: 'sign_up' | 'decoy',
  token: OneTimeTokenInput,
  signUp: PendingSignUp,
  mails: readonly MailInput[],
  flow: FlowInput | null,
): Promise<void> {
  await db.run('one-time-tokens.issue_pending', [
    kind,
    token.recipient,
    token.link_hash,
    token.code_hash,
    JSON.stringify(signUp),
    token.flow_state_id,
    JSON.stringify(mails),
    flowRows(flow),
  ]);
}

/** Takes back a code that certainly reached nobody. */
export async function withdrawToken(
  db: Database,
  userId: string | null,
  kind: string,
  codeHash: string,
): Promise<void> {
  await db.run('one-time-tokens.withdraw', [userId, kind, codeHash]);
}

/** A token that was found, with what its redemption needs to know of the account. */
export interface FoundToken {
  id: string;
  kind: string;
  recipient: string;
  code_hash: string;
  /** Null: a pending sign-up. */
  user_id: string | null;
  flow_state_id: string | null;
  session_id?: string | null;
  sign_up: PendingSignUp | null;
  age_seconds: number;
  is_banned: boolean;
  lacks_password: boolean;
  is_invited: boolean;
  email: string | null;
  new_email: string | null;
  phone: string | null;
  new_phone: string | null;
  is_email_confirmed: boolean;
  email_change_confirmations: number | null;
  full_name: string | null;
}

export async function findTokenByLink(db: Database, linkHash: string): Promise<FoundToken | undefined> {
  return (await db.run<FoundToken>('one-time-tokens.token_by_link', [linkHash]))[0];
}

/** @returns the tokens the code is right for; every other candidate has counted a wrong try */
export async function tryCode(
  db: Database,
  recipient: string,
  candidates: readonly { kind: string; codeHash: string }[],
  audience: string,
  maxWrongTries: number,
): Promise<FoundToken[]> {
  return db.run<FoundToken>('one-time-tokens.try_code', [
    recipient,
    candidates.map(({ kind }) => kind),
    candidates.map(({ codeHash }) => codeHash),
    audience,
    maxWrongTries,
  ]);
}

/** @returns false when it had been used meanwhile */
export async function spendToken(db: Statements, token: FoundToken): Promise<boolean> {
  return (await db.run('one-time-tokens.spend', [token.id, token.code_hash])).length === 1;
}

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
 * @param dropsUnproven an account whose address nobody had proven loses what its maker could get in with
 * @returns undefined when the token had been used meanwhile, or the account was banned
 */
export async function redeemConfirmation(
  db: Database,
  redemption: Redemption,
  channel: Channel,
  passwordHash: string | null,
  dropsUnproven: boolean,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(db, 'one-time-tokens.redeem_confirmation', [
    token.id,
    token.code_hash,
    channel,
    passwordHash,
    sessionMethod,
    userAgent,
    ip,
    authCodeHash,
    JSON.stringify(audit),
    dropsUnproven,
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
}

/** @returns undefined when the token had been used meanwhile, or the address belongs to a banned account */
export async function redeemSignUp(
  db: Database,
  redemption: Redemption,
  account: NewAccount,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(db, 'one-time-tokens.redeem_sign_up', [
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
  ]);
}

/** @returns false when the token had been used meanwhile */
export async function confirmEmailChangeSide(db: Database, token: FoundToken): Promise<boolean> {
  return (await db.run('one-time-tokens.confirm_email_change_side', [token.id, token.code_hash])).length === 1;
}

/** @returns undefined when the token had been used meanwhile, or nothing is pending any more */
export async function redeemChange(
  db: Database,
  redemption: Redemption,
  channel: Channel,
): Promise<RedeemedRow | undefined> {
  const { token, sessionMethod, userAgent, ip, authCodeHash, audit } = redemption;
  return runForUser<RedeemedRow>(db, 'one-time-tokens.redeem_change', [
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
