/** The statements of sql/queries/organization-transfer.sql. */
import { lockOwnRoles, type NewMember } from './organization-members.js';
import type { OrganizationRow } from './organizations.js';
import type { Database, Statements } from './types.js';

/** Ids and slugs that are taken, among those that are asked for. */
export const findTakenOrganizations = (
  db: Statements,
  ids: readonly string[],
  slugs: readonly string[],
): Promise<Pick<OrganizationRow, 'id' | 'slug'>[]> =>
  db.run<Pick<OrganizationRow, 'id' | 'slug'>>('organization-transfer.known', [ids, slugs]);

/** What moves of an organization. */
export type TransferredOrganization = Pick<
  OrganizationRow,
  'id' | 'name' | 'slug' | 'logo_url' | 'metadata' | 'policies' | 'max_members' | 'created_at' | 'updated_at'
>;

/** @returns the ids of those that were added: another one may have taken an id or a slug meanwhile */
export async function importOrganizations(db: Statements, rows: readonly TransferredOrganization[]): Promise<string[]> {
  const added = await db.run<{ id: string }>('organization-transfer.insert_organizations', [JSON.stringify(rows)]);
  return added.map(({ id }) => id);
}

/** A member as a file names it: each of both by one of two. */
export interface NamedMember {
  readonly organizationId: string | null;
  readonly slug: string | null;
  readonly userId: string | null;
  /** As accounts spell it. */
  readonly email: string | null;
}

export interface FoundMember {
  /** Null: there is none. */
  readonly organization_id: string | null;
  readonly user_id: string | null;
  readonly is_member: boolean;
  readonly is_anonymous: boolean;
}

/** @returns what each of them names, in order */
export async function findNamedMembers(db: Statements, named: readonly NamedMember[]): Promise<FoundMember[]> {
  const given = named.map(({ organizationId, slug, userId, email }, position) => ({
    position,
    organization_id: organizationId,
    slug,
    user_id: userId,
    email,
  }));
  const rows = await db.run<FoundMember & { position: number }>('organization-transfer.find_members', [
    JSON.stringify(given),
  ]);
  const found: FoundMember[] = [];
  for (const { position, ...row } of rows) found[position] = row;
  return found;
}

export interface ImportedMember extends NewMember {
  /** RFC 3339. */
  readonly joinedAt: string;
}

/**
 * Adds members with roles that the database or the server has. None is added where one of the roles has ended meanwhile.
 * @param ownRoles those of their roles that the database has
 * @returns for each whether it was added, in order; null: a role has ended
 */
export function importMembers(
  db: Database,
  members: readonly ImportedMember[],
  ownRoles: readonly string[],
): Promise<boolean[] | null> {
  const rows = members.map(({ organizationId, userId, roles, via, joinedAt }) => ({
    organization_id: organizationId,
    user_id: userId,
    roles,
    via,
    joined_at: joinedAt,
  }));
  return db.transaction(async (statements) => {
    await statements.run('organization-transfer.lock_accounts', [members.map(({ userId }) => userId)]);
    await statements.run('organization-transfer.lock_organizations', [
      [...new Set(members.map(({ organizationId }) => organizationId))],
    ]);
    if (ownRoles.length > 0 && (await lockOwnRoles(statements, ownRoles)).length < ownRoles.length) return null;
    const added = await statements.run<{ organization_id: string; user_id: string }>(
      'organization-transfer.insert_members',
      [JSON.stringify(rows)],
    );
    const keys = new Set(added.map((row) => `${row.organization_id} ${row.user_id}`));
    return members.map(({ organizationId, userId }) => keys.has(`${organizationId} ${userId}`));
  });
}

export async function countWithoutOwner(db: Database): Promise<number> {
  return (await db.run<{ count: number }>('organization-transfer.without_owner', []))[0]!.count;
}

export async function countForExport(db: Database): Promise<{ organizations: number; members: number }> {
  return (await db.run<{ organizations: number; members: number }>('organization-transfer.count', []))[0]!;
}

/** The next ones by id. @param afterId null: from the beginning */
export const readOrganizationsById = (
  db: Database,
  afterId: string | null,
  most: number,
): Promise<TransferredOrganization[]> =>
  db.run<TransferredOrganization>('organization-transfer.organizations', [afterId, most]);

export interface ExportedMember {
  readonly organization_id: string;
  readonly user_id: string;
  readonly roles: readonly string[];
  readonly via: string;
  readonly joined_at: string;
}

/** The next ones by organization and account. @param after null: from the beginning */
export const readMembersById = (
  db: Database,
  after: Pick<ExportedMember, 'organization_id' | 'user_id'> | null,
  most: number,
): Promise<ExportedMember[]> =>
  db.run<ExportedMember>('organization-transfer.members', [
    after?.organization_id ?? null,
    after?.user_id ?? null,
    most,
  ]);
