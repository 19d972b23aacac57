/** The statements of sql/queries/organization-members.sql. */
import type { ContactColumns } from './notices.js';
import type { JoinedVia } from './organizations.js';
import type { Database, FoundPlace, Statements, TimePlace } from './types.js';
import type { Metadata } from './user-rows.js';

export interface MemberRow {
  readonly user_id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly user_metadata: Metadata;
  /** Sorted. */
  readonly roles: readonly string[];
  readonly via: JoinedVia;
  readonly joined_at: string;
}

/** @param role null: all. @param place of the last one of the page before */
export const listMembers = (
  db: Database,
  organizationId: string,
  role: string | null,
  place: TimePlace | null,
  limit: number,
): Promise<MemberRow[]> =>
  db.run<MemberRow>('organization-members.page', [
    organizationId,
    role,
    place?.createdAt ?? null,
    place?.id ?? null,
    limit,
  ]);

export type FoundMemberRow = MemberRow & Pick<FoundPlace, 'part' | 'key'>;

/** @param prefix lower case. @param place of the last one of the page before: part 1 address, 2 number, 3 name */
export const searchMembers = (
  db: Database,
  organizationId: string,
  prefix: string,
  role: string | null,
  place: FoundPlace | null,
  limit: number,
): Promise<FoundMemberRow[]> =>
  db.run<FoundMemberRow>('organization-members.search', [
    organizationId,
    prefix,
    // After every text that begins so.
    `${prefix}\u{10ffff}`,
    role,
    place?.part ?? 0,
    place?.key ?? '',
    place?.id ?? null,
    limit,
  ]);

export async function findMember(
  statements: Statements,
  organizationId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return (await statements.run<MemberRow>('organization-members.by_id', [organizationId, userId]))[0];
}

/** @returns those of the roles that the database has */
export async function lockOwnRoles(statements: Statements, names: readonly string[]): Promise<readonly string[]> {
  const rows = await statements.run<{ name: string }>('organization-members.lock_roles', [names]);
  return rows.map(({ name }) => name);
}

export interface NewMember {
  readonly organizationId: string;
  readonly userId: string;
  /** Sorted. */
  readonly roles: readonly string[];
  readonly via: JoinedVia;
}

/**
 * Call it with the account and the organization locked.
 * @param maxMembers null: no limit
 * @returns false when there are as many as there may be, or there is no such user
 */
export async function insertMember(
  statements: Statements,
  { organizationId, userId, roles, via }: NewMember,
  maxMembers: number | null,
  audit: readonly object[],
): Promise<boolean> {
  const values = [organizationId, userId, roles, via, maxMembers, JSON.stringify(audit)];
  return (await statements.run('organization-members.insert', values)).length === 1;
}

/** Call it with the organization locked. */
export async function changeMemberRoles(
  statements: Statements,
  organizationId: string,
  userId: string,
  roles: readonly string[],
  audit: readonly object[],
): Promise<void> {
  await statements.run('organization-members.change_roles', [organizationId, userId, roles, JSON.stringify(audit)]);
}

/** Whether the user was removed or has left, and has not been invited or added since. Call it with the organization locked. */
export async function isFormerMember(statements: Statements, organizationId: string, userId: string): Promise<boolean> {
  const values = [organizationId, userId];
  const rows = await statements.run<{ is_former: boolean }>('organization-members.is_former', values);
  return rows[0]!.is_former;
}

/** Call it with the organization locked. */
export async function removeMember(
  statements: Statements,
  organizationId: string,
  userId: string,
  audit: readonly object[],
): Promise<void> {
  await statements.run('organization-members.delete', [organizationId, userId, JSON.stringify(audit)]);
}

/** How notices reach an owner. */
export interface OwnerContact extends ContactColumns {
  readonly id: string;
  readonly organization_name: string;
}

export const listOwnerContacts = (db: Database, organizationId: string, limit: number): Promise<OwnerContact[]> =>
  db.run<OwnerContact>('organization-members.owners', [organizationId, limit]);
