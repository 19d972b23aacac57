/** The statements of sql/queries/console.sql. */
import type { Database, SqlValue, TimePlace } from './types.js';
import type { IdentityRow, UserRow } from './user-rows.js';

/** A part of a list of which only a number of rows was looked at. */
export interface Looked<Row> {
  readonly rows: readonly Row[];
  /** The last row that was looked at; null: none. */
  readonly last: TimePlace | null;
  /** How many were looked at. */
  readonly count: number;
}

interface FoundUser {
  readonly user: (UserRow & { password_hash?: unknown }) | null;
  readonly identities: IdentityRow[] | null;
}

function asUser({ user, identities }: FoundUser): UserRow {
  user!.password_hash = undefined;
  return Object.assign(user!, { identities: identities ?? [] });
}

export interface UserFilter {
  readonly audience: string;
  readonly createdFrom: string | null;
  readonly provider: string | null;
  readonly isConfirmed: boolean | null;
  readonly isBanned: boolean | null;
  readonly isAnonymous: boolean | null;
  readonly signedInFrom: string | null;
  readonly signedInBefore: string | null;
  /** Part of the address or number. */
  readonly contains: string | null;
}

/** Newest first. @param most accounts to look at, and to find */
export async function findUsers(
  db: Database,
  filter: UserFilter,
  after: TimePlace,
  most: { readonly seen: number; readonly found: number },
): Promise<Looked<UserRow>> {
  type Row = FoundUser & { readonly id: string; readonly position: number; readonly created_at: string };
  const rows = await db.run<Row>('console.users', [
    filter.audience,
    after.createdAt,
    after.id,
    filter.createdFrom,
    most.seen,
    most.found,
    filter.provider,
    filter.isConfirmed,
    filter.isBanned,
    filter.isAnonymous,
    filter.signedInFrom,
    filter.signedInBefore,
    filter.contains,
  ]);
  const end = rows.find(({ user }) => user === null);
  return {
    rows: rows.filter(({ user }) => user !== null).map(asUser),
    last: end === undefined ? null : { createdAt: end.created_at, id: end.id },
    count: end?.position ?? 0,
  };
}

/** The range of texts that begin with one, in byte order. */
export interface PrefixRange {
  readonly from: string;
  readonly to: string;
  /** Id of the last row of the previous page, whose text is `from`; null: the first page. */
  readonly afterId: string | null;
}

export async function findUsersByPrefix(
  db: Database,
  field: 'email' | 'phone',
  { from, to, afterId }: PrefixRange,
  limit: number,
): Promise<UserRow[]> {
  return (await db.run<FoundUser>(`console.users_by_${field}`, [from, to, afterId, limit])).map(asUser);
}

/** A range of ids, both ends included. */
export interface IdRange {
  readonly first: string;
  readonly last: string;
  /** Of the last row of the previous page; null: the first page. */
  readonly afterId: string | null;
}

export async function findUsersByIds(
  db: Database,
  { first, last, afterId }: IdRange,
  limit: number,
): Promise<UserRow[]> {
  return (await db.run<FoundUser>('console.users_by_id', [first, last, afterId, limit])).map(asUser);
}

/** How many users there were when Postgres last looked. */
export async function estimateUsers(db: Database): Promise<number> {
  return (await db.run<{ about: number }>('console.about_users', []))[0]!.about;
}

export interface ActivityRow {
  readonly id: string;
  readonly created_at: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Of the client; '' where the entry is not of a request. */
  readonly ip_address: string;
}

interface Most {
  /** Entries to look at. */
  readonly seen: number;
  readonly found: number;
}

async function readEntries(db: Database, name: string, values: readonly SqlValue[]): Promise<Looked<ActivityRow>> {
  type Row = Omit<ActivityRow, 'payload'> & { readonly payload: ActivityRow['payload'] | null; position: number };
  const rows = await db.run<Row>(`console.${name}`, values);
  const end = rows.find(({ payload }) => payload === null);
  return {
    rows: rows.flatMap(({ id, created_at, payload, ip_address }) =>
      payload === null ? [] : [{ id, created_at, payload, ip_address }],
    ),
    last: end === undefined ? null : { createdAt: end.created_at, id: end.id },
    count: end?.position ?? 0,
  };
}

/** Newest first. @param action null: any */
export const readActivity = (
  db: Database,
  { createdAt, id }: TimePlace,
  { seen, found }: Most,
  action: string | null,
): Promise<Looked<ActivityRow>> => readEntries(db, 'activity', [createdAt, id, seen, found, action]);

/** What somebody did, and what was done to somebody; newest first. @param action null: any */
export const readActivityOf = (
  db: Database,
  personId: string,
  { createdAt, id }: TimePlace,
  { seen, found }: Most,
  action: string | null,
): Promise<Looked<ActivityRow>> => readEntries(db, 'activity_of', [personId, createdAt, id, seen, found, action]);

/** What concerns an organization, newest first. @param action null: any. @param personId null: anyone */
export const readActivityOfOrganization = (
  db: Database,
  organizationId: string,
  { createdAt, id }: TimePlace,
  { seen, found }: Most,
  action: string | null,
  personId: string | null,
): Promise<Looked<ActivityRow>> =>
  readEntries(db, 'activity_of_organization', [organizationId, createdAt, id, seen, found, action, personId]);

/** The entries after one, oldest first, with those of some seconds before it. */
export const readActivitySince = (
  db: Database,
  { createdAt, id }: TimePlace,
  overlapSeconds: number,
  limit: number,
): Promise<readonly ActivityRow[]> =>
  db.run<ActivityRow>('console.activity_since', [createdAt, id, overlapSeconds, limit]);

/** Who has allowed a client something. */
export interface ClientGrantRow {
  readonly user_id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly scopes: readonly string[];
  /** RFC 3339. */
  readonly granted_at: string;
}

/** Newest first. */
export const listGrantsOfClient = (
  db: Database,
  clientId: string,
  { createdAt, id }: TimePlace,
  limit: number,
): Promise<ClientGrantRow[]> => db.run<ClientGrantRow>('console.client_grants', [clientId, createdAt, id, limit]);
