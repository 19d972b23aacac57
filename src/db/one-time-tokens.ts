/** The statements of sql/queries/one-time-tokens.sql. */
import type { FlowInput, MailInput, OneTimeTokenInput } from './outgoing.js';
import type { Database, Statements } from './types.js';
import { type Metadata, runForUser, type UserRow } from './user-rows.js';

/** The columns of an account that receive the time when codes are sent. */
export type SentColumn = Extract<keyof UserRow, `${string}_sent_at` | 'invited_at'>;

export interface StoreTokensInput {
  userId: string;
  tokens: readonly OneTimeTokenInput[];
  stamps: readonly SentColumn[];
  mails: readonly MailInput[];
  flow: FlowInput | null;
  audit: readonly object[];
  /** The request has another password than the account. Default: false. */
  isContested?: boolean;
}

const flowRows = (flow: FlowInput | null): string => JSON.stringify(flow === null ? [] : [flow]);

/** @returns undefined when the account is gone */
export async function storeTokens(db: Database, input: StoreTokensInput): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'one-time-tokens.issue', [
    input.userId,
    JSON.stringify(input.tokens),
    input.stamps,
    JSON.stringify(input.mails),
    flowRows(input.flow),
    JSON.stringify(input.audit),
    input.isContested ?? false,
  ]);
}

/** Data of a pending sign-up, stored with its code. */
export interface PendingSignUp {
  audience: string;
  data: Metadata;
  /** Identity at a provider that has not verified the address. */
  identity?: { provider: string; subject: string };
}

/**
 * @param kind decoy, or sign_up; with an audience other than the default, `sign_up:` and the audience
 * @param protectedForSeconds how long an earlier pending sign-up of the address blocks this one; null: it is replaced
 * @returns false when an earlier one blocks it, and nothing was stored
 */
export async function storePendingSignUp(
  db: Database,
  kind: string,
  token: OneTimeTokenInput,
  signUp: PendingSignUp,
  mails: readonly MailInput[],
  flow: FlowInput | null,
  protectedForSeconds: number | null = null,
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
    protectedForSeconds,
  ]);
  return rows.length === 1;
}

/** Deletes a code whose message was certainly not delivered. */
export async function deleteToken(
  db: Database,
  userId: string | null,
  { recipient, kind, code_hash }: Pick<OneTimeTokenInput, 'recipient' | 'kind' | 'code_hash'>,
): Promise<void> {
  await db.run('one-time-tokens.withdraw', [userId, recipient, kind, code_hash]);
}

/** A token, with the state of its account that its redemption needs. */
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
  is_phone_confirmed: boolean;
  is_email_proven: boolean;
  /** The address that the code went to is not proven yet. */
  is_unproven: boolean;
  email_change_confirmations: number | null;
  user_metadata: Metadata | null;
  full_name: string | null;
  /** The account's audience. */
  audience: string | null;
  /** Sign-ups for the address had different passwords. */
  is_contested: boolean;
  has_operator_password: boolean;
  /** The address is unproven, and the account's other address is proven. */
  is_of_other_channel: boolean;
}

export async function findTokenByLink(db: Database, linkHash: string): Promise<FoundToken | undefined> {
  return (await db.run<FoundToken>('one-time-tokens.token_by_link', [linkHash]))[0];
}

/** @returns the tokens that the code matches; a wrong try was counted for every other candidate */
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

/** A code or link that can still be redeemed, as operators see it. */
export interface ListedCode {
  readonly kind: string;
  readonly recipient: string;
  readonly has_link: boolean;
  /** False, too, after too many wrong tries. */
  readonly has_code: boolean;
  readonly wrong_tries: number;
  readonly created_at: string;
  readonly expires_at: string;
}

/**
 * @param validity seconds for which mailed and texted ones are valid
 * @returns those that are out, newest first; one of each kind at most
 */
export const listCodesOf = (
  db: Database,
  userId: string,
  validity: { readonly mailedSeconds: number; readonly textedSeconds: number },
  maxWrongTries: number,
): Promise<ListedCode[]> =>
  db.run<ListedCode>('one-time-tokens.list_of_user', [
    userId,
    validity.mailedSeconds,
    validity.textedSeconds,
    maxWrongTries,
  ]);

/** @returns false when it was used in the meantime */
export async function consumeToken(db: Statements, token: FoundToken): Promise<boolean> {
  return (await db.run('one-time-tokens.spend', [token.id, token.code_hash])).length === 1;
}
