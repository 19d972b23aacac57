/** Typed doors to sql/queries/linking.sql. */
import type { MailInput, OneTimeTokenInput } from './one-time-tokens.js';
import type { Statements } from './types.js';
import { type Metadata, runForUser, type SessionColumns, type UserRow } from './users.js';

export interface LinkInput {
  userId: string;
  provider: string;
  subject: string;
  identityData: Metadata;
  /** An account without address gets this one, confirmed. */
  firstEmail: string | null;
  /** An account without address gets this one when it has been confirmed. */
  pendingEmail: string | null;
  opensSession: boolean;
  userAgent: string | null;
  ip: string | null;
  /** PKCE: the flow that ends with the link. */
  code: { flowId: string; authCodeHash: string } | null;
  tokens: readonly OneTimeTokenInput[];
  mails: readonly MailInput[];
  audit: readonly object[];
}

/**
 * In a transaction that has locked the account and found the session that asked alive.
 * @returns undefined when the account is banned or gone, the auth code was used, or what was decided no longer holds
 * @throws a unique violation (23505) when another account took the identity or the address meanwhile
 */
export async function insertLink(
  statements: Statements,
  input: LinkInput,
): Promise<(UserRow & Partial<SessionColumns>) | undefined> {
  return runForUser<UserRow & Partial<SessionColumns>>(statements, 'linking.link', [
    input.userId,
    input.provider,
    input.subject,
    JSON.stringify(input.identityData),
    input.firstEmail,
    input.pendingEmail,
    input.opensSession,
    input.userAgent,
    input.ip,
    input.code?.flowId ?? null,
    input.code?.authCodeHash ?? null,
    JSON.stringify(input.tokens),
    JSON.stringify(input.mails),
    JSON.stringify(input.audit),
  ]);
}
