/** The statements of sql/queries/organization-roles.sql. */
import type { Statements } from './types.js';

export interface OrganizationRoleRow {
  readonly name: string;
  readonly description: string;
  /** Sorted. */
  readonly permissions: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export const readOrganizationRoles = (statements: Statements): Promise<OrganizationRoleRow[]> =>
  statements.run<OrganizationRoleRow>('organization-roles.all', []);

/** @returns undefined when there is such a role, or there are as many as there may be */
export async function insertOrganizationRole(
  db: Statements,
  { name, description, permissions }: Pick<OrganizationRoleRow, 'name' | 'description' | 'permissions'>,
  limits: { readonly max: number; readonly builtIn: readonly string[] },
  audit: readonly object[],
): Promise<OrganizationRoleRow | undefined> {
  const values = [name, description, permissions, limits.max, limits.builtIn, JSON.stringify(audit)];
  return (await db.run<OrganizationRoleRow>('organization-roles.insert', values))[0];
}

/**
 * @param change null: unchanged; of a built-in role the permissions that it has besides
 * @returns undefined when there is no such role
 */
export async function putOrganizationRole(
  db: Statements,
  name: string,
  change: { readonly description: string | null; readonly permissions: readonly string[] | null },
  isBuiltIn: boolean,
  audit: readonly object[],
): Promise<OrganizationRoleRow | undefined> {
  const values = [name, change.description, change.permissions, isBuiltIn, JSON.stringify(audit)];
  return (await db.run<OrganizationRoleRow>('organization-roles.put', values))[0];
}

/** @returns how many members have got the other role */
export async function replaceRoleInMembers(
  db: Statements,
  name: string,
  other: string,
  limit: number,
): Promise<number> {
  return (await db.run('organization-roles.replace_in_members', [name, other, limit])).length;
}

/** The same in clients of organizations. */
export async function replaceRoleInClients(db: Statements, name: string, other: string): Promise<void> {
  await db.run('organization-roles.replace_in_clients', [name, other]);
}

/**
 * The same in what gives roles later: domains, pending invitations, identity providers and provisioning. Call it with the role locked.
 */
export async function replaceRoleInRules(statements: Statements, name: string, other: string): Promise<void> {
  await statements.run('organization-roles.replace_in_rules', [name, other]);
}

/** Until the end of the transaction nobody gets the role. @returns false when there is no such role */
export async function lockOrganizationRole(statements: Statements, name: string): Promise<boolean> {
  return (await statements.run('organization-roles.lock', [name])).length === 1;
}

/** Call it with the role locked. @returns false when a member or a client has it, or something gives it later */
export async function removeOrganizationRole(
  statements: Statements,
  name: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await statements.run('organization-roles.delete', [name, JSON.stringify(audit)])).length === 1;
}
