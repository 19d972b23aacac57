/** The statements of sql/queries/linking.sql. */
import { methodOf } from './identities.js';
import type { MailInput, OneTimeTokenInput } from './outgoing.js';
import type { Statements } from './types.js';
import { type Metadata, runForUser, type SessionColumns, type UserRow } from './user-rows.js';

export interface LinkInput {
  userId: string;
  provider: string;
  subject: string;
  identityData: Metadata;
  /** Set, confirmed, on an account without an address. */
  firstEmail: string | null;
  /** Set on an account without an address once it is confirmed. */
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
 * Call it with the account locked and its session checked.
 * @returns undefined when the account is banned or gone, the auth code was used, or the account's state has changed
 * @throws a unique violation (23505) when another account took the identity or the address in the meantime
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
    methodOf(input.provider),
  ]);
}
