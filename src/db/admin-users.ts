/** Typed doors to sql/queries/admin-users.sql and admin-list.sql. */
import type { OneTimeTokenInput, SendStamp } from './one-time-tokens.js';
import type { Database, SqlValue, Statements } from './types.js';
import {
  type Channel,
  type IdentityRow,
  type Metadata,
  type MetadataChange,
  runForUser,
  type UserRow,
} from './users.js';

/** The identity that goes with an address. */
export interface ContactIdentity {
  provider: Channel;
  identity_data: Metadata;
}

/** @returns any account, the soft-deleted included */
export async function findUserById(db: Database, userId: string): Promise<UserRow | undefined> {
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

/** @returns undefined when somebody holds the id or one of the addresses */
export async function createUser(db: Database, input: NewUserInput): Promise<UserRow | undefined> {
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

/** What an operator changes; null leaves alone. */
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

/** @returns undefined when there is no such account, or it is soft-deleted */
export async function changeUserAsAdmin(
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

const mergeValues = (change: MetadataChange | null) =>
  change === null ? ([null, null] as const) : ([JSON.stringify(change.set), change.drop] as const);

/** @returns false when there was nothing (more) to delete */
export async function deleteUser(
  db: Statements,
  userId: string,
  kind: 'hard' | 'soft',
  audit: readonly object[],
): Promise<boolean> {
  const statement = kind === 'hard' ? 'admin-users.delete_user' : 'admin-users.soft_delete_user';
  return (await db.run(statement, [userId, JSON.stringify(audit)])).length === 1;
}

export interface IssueLinkInput {
  userId: string;
  tokens: readonly OneTimeTokenInput[];
  stamp: SendStamp;
  userMetadata: MetadataChange | null;
  newEmail: string | null;
  audit: readonly object[];
  /** The operator gave another password than the account has. */
  isContested: boolean;
}

/** @returns undefined when the account is gone */
export async function issueLink(db: Database, input: IssueLinkInput): Promise<UserRow | undefined> {
  return runForUser<UserRow>(db, 'admin-users.issue_link', [
    input.userId,
    JSON.stringify(input.tokens),
    input.stamp,
    ...mergeValues(input.userMetadata),
    input.newEmail,
    JSON.stringify(input.audit),
    input.isContested,
  ]);
}

export interface UserPage {
  users: UserRow[];
  /** Of all that match, whatever the page. */
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
 * One page, counted exactly.
 * @param filter substring of the email, or of the full name in any case; null: all
 */
export async function listUsers(
  db: Database,
  query: { audience: string; limit: number; offset: number; isOldestFirst: boolean; filter: string | null },
): Promise<UserPage> {
  const { audience, limit, offset, isOldestFirst, filter } = query;
  if (filter !== null) return readList(db, 'matching', [audience, limit, offset, filter, isOldestFirst]);
  return readList(db, isOldestFirst ? 'oldest' : 'newest', [audience, limit, offset]);
}

/** A place in the list: behind this row. */
export interface ListPlace {
  createdAt: string;
  id: string;
}

/** @param after undefined: from the beginning */
export async function listUsersAfter(
  db: Database,
  query: { audience: string; limit: number; after: ListPlace; isOldestFirst: boolean; filter: string | null },
): Promise<UserRow[]> {
  const { audience, limit, after, isOldestFirst, filter } = query;
  const name = isOldestFirst ? 'oldest_after' : 'newest_after';
  return (await readList(db, name, [audience, limit, after.createdAt, after.id, filter])).users;
}

/** The accounts that have all of what is given; null: not asked for. */
export async function findUsersExactly(
  db: Database,
  audience: string,
  wanted: { id: string | null; email: string | null; phone: string | null },
): Promise<UserRow[]> {
  return (await readList(db, 'exact', [audience, wanted.id, wanted.email, wanted.phone])).users;
}
