/** The statements of sql/queries/admin-users.sql and admin-list.sql. */
import type { SentColumn } from './one-time-tokens.js';
import type { OneTimeTokenInput } from './outgoing.js';
import type { Database, SqlValue, Statements } from './types.js';
import {
  type Channel,
  type IdentityRow,
  type Metadata,
  type MetadataChange,
  mergeValues,
  runForUser,
  type UserRow,
} from './user-rows.js';

/** The identity that goes with an address. */
export interface ContactIdentity {
  provider: Channel;
  identity_data: Metadata;
}

/** @returns the account, also when it is soft-deleted */
export async function findUserById(db: Statements, userId: string): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'admin-users.user', [userId]);
}

export async function isIdTaken(db: Database, userId: string): Promise<boolean> {
  return (await db.run<{ is_taken: boolean }>('admin-users.id_taken', [userId]))[0]!.is_taken;
}

export interface NewUserInput {
  userId: string;
  audience: string;
  role: string;
  email: string | null;
  phone: string | null;
  passwordHash: string | null;
  isEmailConfirmed: boolean;
  isPhoneConfirmed: boolean;
  appMetadata: Metadata;
  userMetadata: Metadata;
  /** Null: no ban. */
  banSeconds: number | null;
  identities: readonly ContactIdentity[];
  audit: readonly object[];
}

/** @returns undefined when the id or one of the addresses is taken */
export async function insertUserAsAdmin(db: Database, input: NewUserInput): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'admin-users.create_user', [
    input.userId,
    input.audience,
    input.role,
    input.email,
    input.phone,
    input.passwordHash,
    input.isEmailConfirmed,
    input.isPhoneConfirmed,
    JSON.stringify(input.appMetadata),
    JSON.stringify(input.userMetadata),
    input.banSeconds,
    JSON.stringify(input.identities),
    JSON.stringify(input.audit),
  ]);
}

/** Changes by an operator; null leaves a field unchanged. */
export interface AdminChanges {
  role: string | null;
  confirmsEmail: boolean;
  confirmsPhone: boolean;
  passwordHash: string | null;
  email: string | null;
  phone: string | null;
  appMetadata: MetadataChange | null;
  userMetadata: MetadataChange | null;
  /** `seconds` null: the ban ends. */
  ban: { seconds: number | null } | null;
  identities: readonly ContactIdentity[];
  audit: readonly object[];
}

/** @returns undefined when the account does not exist or is soft-deleted */
export async function applyAdminChanges(
  db: Statements,
  userId: string,
  changes: AdminChanges,
): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'admin-users.update_user', [
    userId,
    changes.role,
    changes.confirmsEmail,
    changes.confirmsPhone,
    changes.passwordHash,
    changes.email,
    changes.phone,
    ...mergeValues(changes.appMetadata),
    ...mergeValues(changes.userMetadata),
    changes.ban !== null,
    changes.ban?.seconds ?? null,
    JSON.stringify(changes.identities),
    JSON.stringify(changes.audit),
  ]);
}

/** @returns false when there was nothing to delete */
export async function deleteUser(
  db: Statements,
  userId: string,
  kind: 'hard' | 'soft',
  audit: readonly object[],
): Promise<boolean> {
  const statement = kind === 'hard' ? 'admin-users.delete_user' : 'admin-users.soft_delete_user';
  return (await db.run(statement, [userId, JSON.stringify(audit)])).length === 1;
}

export interface StoreLinkTokensInput {
  userId: string;
  tokens: readonly OneTimeTokenInput[];
  stamps: readonly SentColumn[];
  userMetadata: MetadataChange | null;
  newEmail: string | null;
  audit: readonly object[];
  /** The request has another password than the account. */
  isContested: boolean;
}

/** @returns undefined when the account is gone */
export async function storeLinkTokens(db: Database, input: StoreLinkTokensInput): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'admin-users.issue_link', [
    input.userId,
    JSON.stringify(input.tokens),
    input.stamps,
    ...mergeValues(input.userMetadata),
    input.newEmail,
    JSON.stringify(input.audit),
    input.isContested,
  ]);
}

export interface UserPage {
  users: UserRow[];
  /** Number of matches on all pages. */
  total: number;
}

interface ListedRow {
  user: (UserRow & { password_hash?: unknown }) | null;
  identities: IdentityRow[] | null;
  total?: number;
}

async function readList(db: Database, name: string, values: readonly SqlValue[]): Promise<UserPage> {
  const rows = await db.run<ListedRow>(`admin-list.${name}`, values);
  const users = rows.flatMap(({ user, identities }) => {
    if (user === null) return [];
    user.password_hash = undefined;
    return [Object.assign(user, { identities: identities ?? [] })];
  });
  return { users, total: rows[0]?.total ?? users.length };
}

/**
 * One page and the exact total.
 * @param filter substring of the email, or of the full name in any case; null: all
 */
export async function readUserPage(
  db: Database,
  query: { audience: string; limit: number; offset: number; isOldestFirst: boolean; filter: string | null },
): Promise<UserPage> {
  const { audience, limit, offset, isOldestFirst, filter } = query;
  if (filter !== null) return readList(db, 'matching', [audience, limit, offset, filter, isOldestFirst]);
  return readList(db, isOldestFirst ? 'oldest' : 'newest', [audience, limit, offset]);
}

/** Position in the list: after this row. */
export interface ListPlace {
  createdAt: string;
  id: string;
}

export async function readUsersAfter(
  db: Database,
  query: { audience: string; limit: number; after: ListPlace; isOldestFirst: boolean; filter: string | null },
): Promise<UserRow[]> {
  const { audience, limit, after, isOldestFirst, filter } = query;
  const name = isOldestFirst ? 'oldest_after' : 'newest_after';
  return (await readList(db, name, [audience, limit, after.createdAt, after.id, filter])).users;
}

/** Accounts that match every given value; null is not compared. */
export async function findUsersByContact(
  db: Database,
  audience: string,
  wanted: { id: string | null; email: string | null; phone: string | null },
): Promise<UserRow[]> {
  return (await readList(db, 'exact', [audience, wanted.id, wanted.email, wanted.phone])).users;
}
