/** The statements of sql/queries/identities.sql. */
import type { MailInput, OneTimeTokenInput } from './outgoing.js';
import type { Database, Statements } from './types.js';
import { type Metadata, runForUser, type SessionColumns, type UserRow } from './user-rows.js';

/** An account that an identity at a provider may belong to. */
export interface Owner {
  id: string;
  email: string | null;
  phone: string | null;
  full_name: string | null;
  is_anonymous: boolean;
  is_email_confirmed: boolean;
  is_phone_confirmed: boolean;
  is_email_proven: boolean;
  is_phone_proven: boolean;
  is_banned: boolean;
  /** An operator set the email. */
  is_operators_email: boolean;
  /** The account has this identity; otherwise they only share an address. */
  is_known: boolean;
}

export interface OwnerQuery {
  provider: string;
  subject: string;
  /** Lower case. */
  verifiedEmails: readonly string[];
  /** Address of the new account; '' for none. */
  email: string;
  /** Null: the default linking domain. */
  domainProviders: readonly string[] | null;
  otherDomainProviders: readonly string[];
}

export async function findOwners(
  db: Database,
  { provider, subject, verifiedEmails, email, domainProviders, otherDomainProviders }: OwnerQuery,
): Promise<{ people: Owner[]; isAddressTaken: boolean }> {
  const [row] = await db.run<{ people: Owner[] | null; is_address_taken: boolean }>('identities.find_owners', [
    provider,
    subject,
    verifiedEmails,
    email,
    domainProviders,
    otherDomainProviders,
  ]);
  return { people: row!.people ?? [], isAddressTaken: row!.is_address_taken };
}

export async function findInvited(db: Database, linkHash: string, validSeconds: number): Promise<Owner | undefined> {
  return (await db.run<Owner>('identities.invited_by_link', [linkHash, validSeconds]))[0];
}

/** met: unchanged; proven: its address is confirmed, and unproven data is removed. */
export type OwnerChange = 'met' | 'proven';

/** How a session says that it was opened with an identity of this provider. */
export const methodOf = (provider: string): 'oauth' | 'web3' => (provider === 'web3' ? 'web3' : 'oauth');

export interface ExternalSignInInput {
  userId: string;
  provider: string;
  subject: string;
  identityData: Metadata;
  /** Null: the account exists. */
  newUser: {
    aud: string;
    role: string;
    email: string | null;
    is_confirmed: boolean;
    /** A provider vouches for the address. */
    is_proven: boolean;
    is_sso_user: boolean;
  } | null;
  change: OwnerChange;
  opensSession: boolean;
  /** Id of the provider where it belongs to an organization; the session says it. */
  organizationProviderId: string | null;
  userAgent: string | null;
  ip: string | null;
  /** PKCE: the flow issues an auth code. */
  flow: { id: string; auth_code_hash: string; access_token: string | null; refresh_token: string | null } | null;
  tokens: readonly OneTimeTokenInput[];
  mails: readonly MailInput[];
  audit: readonly object[];
}

/**
 * @returns undefined when the account is gone or banned, its address was taken, or its state has changed
 * @throws a unique violation (23505) when another account took the identity or the address in the meantime
 */
export async function signInExternal(
  db: Statements,
  input: ExternalSignInInput,
): Promise<(UserRow & Partial<SessionColumns>) | undefined> {
  return runForUser<UserRow & Partial<SessionColumns>>(db, 'identities.sign_in', [
    input.userId,
    input.provider,
    input.subject,
    JSON.stringify(input.identityData),
    JSON.stringify(input.newUser === null ? [] : [input.newUser]),
    input.change,
    input.opensSession,
    input.userAgent,
    input.ip,
    JSON.stringify(input.flow === null ? [] : [input.flow]),
    JSON.stringify(input.tokens),
    JSON.stringify(input.mails),
    JSON.stringify(input.audit),
    methodOf(input.provider),
    input.organizationProviderId,
  ]);
}

export interface UnlinkInput {
  userId: string;
  identityId: string;
  /** The account's updated_at when it was read. */
  readAt: string;
  email: string | null;
  isEmailConfirmed: boolean;
  /** A provider vouches for the address, or it was proven before. */
  isEmailProven: boolean;
  audit: readonly object[];
}

/** @returns false when the account has changed since it was read */
export async function unlinkIdentity(db: Statements, input: UnlinkInput): Promise<boolean> {
  const { userId, identityId, readAt, email, isEmailConfirmed, isEmailProven, audit } = input;
  const values = [userId, identityId, readAt, email, isEmailConfirmed, JSON.stringify(audit), isEmailProven];
  return (await db.run('identities.unlink', values)).length === 1;
}
