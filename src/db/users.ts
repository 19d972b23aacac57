/** The statements of sql/queries/users.sql. */
import type { FlowInput, MailInput, OneTimeTokenInput } from './outgoing.js';
import type { Database, Statements } from './types.js';
import {
  type Channel,
  type Metadata,
  type MetadataChange,
  mergeValues,
  runForUser,
  type SessionColumns,
  type UserRow,
} from './user-rows.js';

/** What the password grant reads before hashing. */
export interface SignInCandidate {
  id: string;
  email: string | null;
  phone: string | null;
  password_hash: string | null;
  full_name: string | null;
  is_banned: boolean;
  is_confirmed: boolean;
}

/** The account that has the address of a sign-up. */
export interface AddressHolder {
  id: string;
  email: string | null;
  phone: string | null;
  password_hash: string | null;
  is_anonymous: boolean;
  invited_at: string | null;
  is_confirmed: boolean;
  is_banned: boolean;
  user_metadata: Metadata;
  new_email: string | null;
  new_phone: string | null;
}

const first = <Row>(rows: Row[]): Row | undefined => rows[0];

/**
 * @param failureKey key of the counter of failed sign-ins; null: none
 * @returns the account, if there is one, and the seconds until the next try for that address
 */
export async function findSignInCandidate(
  db: Database,
  channel: Channel,
  address: string,
  audience: string,
  failureKey: string | null,
): Promise<{ user: SignInCandidate | undefined; waitSeconds: number }> {
  type Row = (SignInCandidate | { id: null }) & { wait_seconds: number };
  const [row] = await db.run<Row>(`users.user_for_sign_in_by_${channel}`, [address, audience, failureKey]);
  return { user: row!.id === null ? undefined : row, waitSeconds: row!.wait_seconds };
}

export async function findAddressHolder(
  db: Database,
  channel: Channel,
  address: string,
  audience: string,
): Promise<AddressHolder | undefined> {
  return first(await db.run<AddressHolder>(`users.user_by_${channel}`, [address, audience]));
}

/** Whether an account of any audience has the address unproven. */
export async function isAddressUnproven(db: Database, channel: Channel, address: string): Promise<boolean> {
  return (await db.run(`users.unproven_by_${channel}`, [address])).length > 0;
}

export interface SignUpInput {
  userId: string;
  audience: string;
  role: string;
  email: string | null;
  phone: string | null;
  passwordHash: string | null;
  isConfirmed: boolean;
  appMetadata: Metadata;
  userMetadata: Metadata;
  isAnonymous: boolean;
  identityProvider: Channel | null;
  identityData: Metadata;
  oneTimeTokens: readonly OneTimeTokenInput[];
  /** Method of the session to open; null: none. */
  sessionMethod: string | null;
  userAgent: string | null;
  ip: string | null;
  audit: readonly object[];
  mails: readonly MailInput[];
  flow: FlowInput | null;
  isInvited: boolean;
  /** Parts that an operator set; null: the user signed up. */
  operatorSet?: readonly ('password' | 'email')[] | null;
}

/** @returns the account, with its session when one was opened; undefined when the address is taken */
export async function insertUser(
  db: Statements,
  input: SignUpInput,
): Promise<(UserRow & Partial<SessionColumns>) | undefined> {
  return runForUser<UserRow & Partial<SessionColumns>>(db, 'users.sign_up', [
    input.userId,
    input.audience,
    input.role,
    input.email,
    input.phone,
    input.passwordHash,
    input.isConfirmed,
    JSON.stringify(input.appMetadata),
    JSON.stringify(input.userMetadata),
    input.isAnonymous,
    input.identityProvider,
    JSON.stringify(input.identityData),
    JSON.stringify(input.oneTimeTokens),
    input.sessionMethod,
    input.userAgent,
    input.ip,
    JSON.stringify(input.audit),
    JSON.stringify(input.mails),
    JSON.stringify(input.flow === null ? [] : [input.flow]),
    input.isInvited,
    input.operatorSet ?? null,
  ]);
}

export interface UserChanges {
  passwordHash: string | null;
  keepSessionId: string | null;
  userMetadata: MetadataChange | null;
  appMetadata: MetadataChange | null;
  email: string | null;
  phone: string | null;
  pendingEmail: string | null;
  pendingPhone: string | null;
  oneTimeTokens: readonly OneTimeTokenInput[];
  /** Identities of the addresses that take effect at once. */
  identities: readonly { provider: Channel; identity_data: Metadata }[];
  audit: readonly object[];
  mails: readonly MailInput[];
  flow: FlowInput | null;
}

export async function updateUser(db: Statements, userId: string, changes: UserChanges): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'users.update_user', [
    userId,
    changes.passwordHash,
    changes.keepSessionId,
    ...mergeValues(changes.userMetadata),
    ...mergeValues(changes.appMetadata),
    changes.email,
    changes.phone,
    changes.pendingEmail,
    changes.pendingPhone,
    JSON.stringify(changes.oneTimeTokens),
    JSON.stringify(changes.identities),
    JSON.stringify(changes.audit),
    JSON.stringify(changes.mails),
    JSON.stringify(changes.flow === null ? [] : [changes.flow]),
  ]);
}

export async function readPasswordHash(db: Statements, userId: string): Promise<string | null> {
  return first(await db.run<{ password_hash: string | null }>('users.password_hash', [userId]))?.password_hash ?? null;
}

export interface AddressHolders {
  email_taken: boolean;
  phone_taken: boolean;
}

export async function findAddressHolders(
  db: Database,
  userId: string,
  email: string | null,
  phone: string | null,
): Promise<AddressHolders> {
  return (await db.run<AddressHolders>('users.address_holders', [userId, email, phone]))[0]!;
}
