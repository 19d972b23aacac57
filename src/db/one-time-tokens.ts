/** Typed doors to sql/queries/one-time-tokens.sql. */
import type { Database, Statements } from './types.js';
import { type Metadata, runForUser, type UserRow } from './users.js';

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
  /** Whoever asks for the confirmation brought another password than the account has. Default: false. */
  isContested?: boolean;
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
    input.isContested ?? false,
  ]);
}

/** What a pending sign-up keeps until its code comes back. */
export interface PendingSignUp {
  audience: string;
  data: Metadata;
  /** Of somebody who came from a provider that does not vouch for the address. */
  identity?: { provider: string; subject: string };
}

/**
 * @param kind decoy, or sign_up with its audience after a colon where that is not the default one
 * @param standsForSeconds how long another pending sign-up of the address stands against this one; null: it replaces any
 * @returns false when another stands, and nothing was stored
 */
export async function issuePending(
  db: Database,
  kind: string,
  token: OneTimeTokenInput,
  signUp: PendingSignUp,
  mails: readonly MailInput[],
  flow: FlowInput | null,
  standsForSeconds: number | null = null,
): Promise<boolean> {
  const rows = await db.run('one-time-tokens.issue_pending', [
    kind,
    token.recipient,
    token.link_hash,
    token.code_hash,
    JSON.stringify(signUp),
    token.flow_state_id,
    JSON.stringify(mails),
    flowRows(flow),
    standsForSeconds,
  ]);
  return rows.length === 1;
}

/** Takes back a code that certainly reached nobody. */
export async function withdrawToken(
  db: Database,
  userId: string | null,
  { recipient, kind, code_hash }: Pick<OneTimeTokenInput, 'recipient' | 'kind' | 'code_hash'>,
): Promise<void> {
  await db.run('one-time-tokens.withdraw', [userId, recipient, kind, code_hash]);
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
  /** Of the account. */
  audience: string | null;
  /** Sign-ups for the address did not agree on the password. */
  is_contested: boolean;
  has_operator_password: boolean;
  /** The account has the address unproven, and is proven by its other address. */
  is_of_other_channel: boolean;
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
