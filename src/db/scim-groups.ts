/** The statements of sql/queries/scim-groups.sql. */
import { caseKey } from './case-key.js';
import type { ScimPlaceInList, ScimSearch } from './scim-users.js';
import type { Database, Statements } from './types.js';

export interface ScimGroupRow {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Null: there are none, or they are not asked for. */
  readonly members: readonly { readonly value: string; readonly display: string }[] | null;
}

export interface NewScimGroup {
  readonly id: string;
  readonly displayName: string;
  readonly externalId: string | null;
  /** Each once. */
  readonly members: readonly string[];
}

/**
 * @returns false when one of the members is no person of the scope
 * @throws a unique violation (23505) when another group has the name or the external id
 */
export async function insertScimGroup(
  statements: Statements,
  scopeId: string,
  { id, displayName, externalId, members }: NewScimGroup,
  audit: readonly object[],
): Promise<boolean> {
  const values = [scopeId, id, displayName, externalId, members, JSON.stringify(audit), caseKey(displayName)];
  return (await statements.run('scim-groups.insert', values)).length === 1;
}

/** Call it in a transaction. @param ids people of the scope @param groupId whose members are locked, too; null: of none */
export async function lockScimPeople(
  statements: Statements,
  scopeId: string,
  ids: readonly string[],
  groupId: string | null,
): Promise<void> {
  await statements.run('scim-groups.lock_people', [scopeId, ids, groupId]);
}

/** Who comes into a group. */
export interface ScimGroupGain {
  /** Null: the group is new. */
  readonly id: string | null;
  /** Null: it keeps its name. */
  readonly displayName: string | null;
  readonly added: readonly string[];
}

/** @returns the roles that the organization gives to people who were not in a group of this name */
export async function findRolesGained(
  statements: Statements,
  scopeId: string,
  organizationId: string,
  { id, displayName, added }: ScimGroupGain,
): Promise<readonly string[]> {
  const key = displayName === null ? null : caseKey(displayName);
  const values = [scopeId, organizationId, id, key, added];
  return (await statements.run<{ role: string }>('scim-groups.roles_gained', values)).map(({ role }) => role);
}

export interface ScimGroupChange {
  /** Null: it stays. */
  readonly displayName: string | null;
  /** Undefined: it stays. */
  readonly externalId: string | null | undefined;
  /** Each once. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Others than the added ones go. */
  readonly isWhole: boolean;
}

export interface ChangedScimGroup {
  /** Before the change. */
  readonly version: number;
  /** Of the added members. */
  readonly valid_members: number;
  readonly is_changed: boolean;
}

/**
 * One statement, however many members the group has.
 * @param version that it must have; null: any
 * @returns undefined when there is no such group
 * @throws a unique violation (23505) when another group has the name or the external id
 */
export async function changeScimGroup(
  statements: Statements,
  scopeId: string,
  id: string,
  { displayName, externalId, added, removed, isWhole }: ScimGroupChange,
  version: number | null,
  audit: readonly object[],
): Promise<ChangedScimGroup | undefined> {
  const rows = await statements.run<ChangedScimGroup>('scim-groups.change', [
    scopeId,
    id,
    displayName,
    externalId !== undefined,
    externalId ?? null,
    added,
    removed,
    isWhole,
    version,
    JSON.stringify(audit),
    displayName === null ? null : caseKey(displayName),
  ]);
  return rows[0];
}

/** @param version that it must have; null: any. @returns undefined: there is no such group; false: it has another version */
export async function removeScimGroup(
  statements: Statements,
  scopeId: string,
  id: string,
  version: number | null,
  audit: readonly object[],
): Promise<boolean | undefined> {
  const values = [scopeId, id, version, JSON.stringify(audit)];
  return (await statements.run<{ is_deleted: boolean }>('scim-groups.delete', values))[0]?.is_deleted;
}

export async function findScimGroup(
  db: Database,
  scopeId: string,
  id: string,
  withMembers: boolean,
): Promise<ScimGroupRow | undefined> {
  return (await db.run<ScimGroupRow>('scim-groups.by_id', [scopeId, id, withMembers]))[0];
}

/** Of an empty page one row without an id. */
export type ListedScimGroup = { readonly total: number } & (ScimGroupRow | { readonly id: null });

/** In the order in which they came. @param search null: all. @param members ids that it names */
export function listScimGroups(
  db: Database,
  scopeId: string,
  search: ScimSearch | null,
  members: readonly string[],
  { after, offset, limit }: ScimPlaceInList,
  withMembers: boolean,
): Promise<ListedScimGroup[]> {
  const place = [scopeId, after?.createdAt ?? null, after?.id ?? null, offset, limit, withMembers];
  if (search === null) return db.run<ListedScimGroup>('scim-groups.page', place);
  const filter = [...place, search.path, JSON.stringify(search.values), members];
  const { indexed } = search;
  if (indexed === null) return db.run<ListedScimGroup>('scim-groups.page_matching', filter);
  const by = (name: string) => indexed[name] ?? [];
  return db.run<ListedScimGroup>('scim-groups.page_found', [
    ...filter,
    by('id'),
    by('displayname'),
    by('externalid'),
    by('members.value'),
  ]);
}

/** Roles of an organization that the members of a group get. */
export interface ScimGroupRoles {
  readonly group: string;
  /** Sorted. */
  readonly roles: readonly string[];
}

/** By name. */
export const listScimGroupRoles = (db: Database, organizationId: string): Promise<ScimGroupRoles[]> =>
  db.run<ScimGroupRoles>('scim-groups.roles', [organizationId]);

/** Call it with the organization locked. @returns undefined when there are `most` already */
export async function putScimGroupRoles(
  statements: Statements,
  organizationId: string,
  { group, roles }: ScimGroupRoles,
  most: number,
  audit: readonly object[],
): Promise<ScimGroupRoles | undefined> {
  const values = [organizationId, group, roles, most, JSON.stringify(audit), caseKey(group)];
  return (await statements.run<ScimGroupRoles>('scim-groups.put_roles', values))[0];
}

/** Call it with the organization locked. @returns false when there are none for the group */
export async function removeScimGroupRoles(
  statements: Statements,
  organizationId: string,
  group: string,
  audit: readonly object[],
): Promise<boolean> {
  const values = [organizationId, caseKey(group), JSON.stringify(audit)];
  return (await statements.run('scim-groups.delete_roles', values)).length === 1;
}

/** What the members of the group are now. Call it with the organization locked. */
export async function renewRolesOfScimGroup(
  statements: Statements,
  organizationId: string,
  group: string,
): Promise<void> {
  await statements.run('scim-groups.renew_roles_of_group', [organizationId, caseKey(group)]);
}
