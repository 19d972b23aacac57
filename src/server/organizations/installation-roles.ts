/** The roles of an installation, which hold for all organizations (docs/organizations.md, Roles). */
import {
  insertOrganizationRole,
  lockOrganizationRole,
  type OrganizationRoleRow,
  putOrganizationRole,
  readOrganizationRoles,
  removeOrganizationRole,
  replaceRoleInClients,
  replaceRoleInMembers,
  replaceRoleInRules,
} from '../../db/organization-roles.js';
import type { Statements } from '../../db/types.js';
import {
  type Administrator,
  type AuditAction,
  type AuditEntry,
  adminActor,
  auditEntry,
  logAudit,
  storedAudit,
} from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { BUILT_IN_ROLES, builtInPermissionsOf, makeRoleCatalog, OWNER } from './role-catalog.js';

export interface GivenRole {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
}

const MAX_ROLES = 64;
const MAX_PERMISSIONS = 128;
const MAX_DESCRIPTION = 500;
/** At most so many memberships are changed in one statement. */
const REPLACED_AT_ONCE = 500;
const ROLE_NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const PERMISSION = /^[a-z][a-z0-9_.:-]{0,63}$/;

const refuse = (reason: string) => apiError('organizationFieldInvalid', { reason });

/** A role in answers: with all that it permits. */
function viewRole(row: Pick<OrganizationRoleRow, 'name' | 'description'>, permissions: readonly string[]) {
  const { name, description } = row;
  return { name, description, permissions, built_in: BUILT_IN_ROLES.includes(name) };
}

/** All roles, built-in ones first. */
export async function listInstallationRoles({ db }: Pick<App, 'db'>) {
  const rows = await readOrganizationRoles(db);
  const catalog = makeRoleCatalog(rows);
  const own = rows.filter(({ name }) => !BUILT_IN_ROLES.includes(name));
  const builtIn = BUILT_IN_ROLES.map((name) => rows.find((row) => row.name === name) ?? { name, description: '' });
  return { roles: [...builtIn, ...own].map((row) => viewRole(row, catalog.permissionsOf([row.name]))) };
}

/** @throws ApiError organizationFieldInvalid, roleExists */
export async function createRole(app: App, requestId: string, admin: Administrator, given: GivenRole) {
  const name = readRoleName(given.name);
  if (BUILT_IN_ROLES.includes(name)) throw apiError('roleExists', { role: name });
  const { description, permissions } = readRole(given);
  const audit = describe(admin, 'organization_role_created', name, permissions ?? []);
  const row = { name, description: description ?? '', permissions: permissions ?? [] };
  const limits = { max: MAX_ROLES, builtIn: BUILT_IN_ROLES };
  const added = await insertOrganizationRole(app.db, row, limits, storedAudit(app, audit));
  if (added === undefined) {
    const isThere = (await readOrganizationRoles(app.db)).some((other) => other.name === name);
    throw isThere ? apiError('roleExists', { role: name }) : refuse(`there may be ${MAX_ROLES} roles`);
  }
  await follow(app, requestId, audit);
  return viewRole(added, added.permissions);
}

/**
 * Changes a role. `admin` and `member` may be given more permissions, and keep those that they are built to have.
 * @throws ApiError organizationFieldInvalid, roleNotFound
 */
export async function changeInstallationRole(
  app: App,
  requestId: string,
  admin: Administrator,
  name: string,
  given: GivenRole,
) {
  if (name === OWNER) throw refuse('owner has all permissions');
  const { description, permissions } = readRole(given);
  const builtIn = builtInPermissionsOf(name);
  const more = permissions?.filter((permission) => !builtIn.includes(permission)) ?? null;
  const audit = describe(admin, 'organization_role_updated', name, permissions ?? undefined);
  const isBuiltIn = BUILT_IN_ROLES.includes(name);
  const change = { description, permissions: more };
  const row = await putOrganizationRole(app.db, name, change, isBuiltIn, storedAudit(app, audit));
  if (row === undefined) throw apiError('roleNotFound', { role: name.slice(0, 40) });
  await follow(app, requestId, audit);
  return viewRole(row, [...new Set([...builtIn, ...row.permissions])].sort());
}

/**
 * @param other the role that members and clients get in its place, and that domains, invitations and identity providers give;
 *   undefined: none may have or give it
 * @throws ApiError organizationFieldInvalid, roleNotFound, roleInUse
 */
export async function deleteRole(
  app: App,
  requestId: string,
  admin: Administrator,
  name: string,
  other: string | undefined,
): Promise<void> {
  if (BUILT_IN_ROLES.includes(name)) throw refuse('built-in roles cannot be removed');
  const known = await readOrganizationRoles(app.db);
  const isKnown = (role: string): boolean => known.some((row) => row.name === role) || BUILT_IN_ROLES.includes(role);
  if (!isKnown(name)) throw apiError('roleNotFound', { role: name.slice(0, 40) });
  if (other !== undefined) {
    if (!isKnown(other)) throw refuse('replace_with names a role that there is not');
    if (other === name || other === OWNER) throw refuse('replace_with must be another role, not owner');
    while ((await replaceRoleInMembers(app.db, name, other, REPLACED_AT_ONCE)) > 0);
    await replaceRoleInClients(app.db, name, other);
  }
  const audit = describe(admin, 'organization_role_deleted', name);
  await app.db.transaction(async (statements) => {
    if (!(await lockOrganizationRole(statements, name))) throw apiError('roleNotFound', { role: name });
    if (other !== undefined) await replaceRoleInRules(statements, name, other);
    if (!(await removeOrganizationRole(statements, name, storedAudit(app, audit)))) {
      throw apiError('roleInUse', { role: name });
    }
  });
  await follow(app, requestId, audit);
}

/** @throws ApiError organizationFieldInvalid */
function readRoleName(name = ''): string {
  if (!ROLE_NAME.test(name)) throw refuse('name needs 1 to 40 of a to z, 0 to 9, _ and -, a letter first');
  return name;
}

/**
 * A role of an import: a built-in one with what it is to permit besides.
 * @throws ApiError organizationFieldInvalid
 */
export function readWholeRole(given: GivenRole): Pick<OrganizationRoleRow, 'name' | 'description' | 'permissions'> {
  const name = readRoleName(given.name);
  if (name === OWNER) throw refuse('owner has all permissions');
  const { description, permissions } = readRole(given);
  const builtIn = builtInPermissionsOf(name);
  const more = (permissions ?? []).filter((permission) => !builtIn.includes(permission));
  return { name, description: description ?? '', permissions: more };
}

/**
 * Stores a role of an import.
 * @returns false when there are as many as there may be, or another one has its name
 */
export async function storeWholeRole(db: Statements, role: ReturnType<typeof readWholeRole>): Promise<boolean> {
  const isBuiltIn = BUILT_IN_ROLES.includes(role.name);
  const stored = isBuiltIn
    ? await putOrganizationRole(db, role.name, role, true, [])
    : await insertOrganizationRole(db, role, { max: MAX_ROLES, builtIn: BUILT_IN_ROLES }, []);
  return stored !== undefined;
}

/** @returns null: unchanged. @throws ApiError organizationFieldInvalid */
function readRole({ description, permissions }: GivenRole) {
  if (description !== undefined && [...description].length > MAX_DESCRIPTION) {
    throw refuse(`description may have ${MAX_DESCRIPTION} characters`);
  }
  const unfit = permissions?.find((permission) => !PERMISSION.test(permission));
  if (unfit !== undefined) throw refuse('a permission needs 1 to 64 of a to z, 0 to 9, _ . : and -, a letter first');
  const sorted = permissions === undefined ? null : [...new Set(permissions)].sort();
  if (sorted !== null && sorted.length > MAX_PERMISSIONS)
    throw refuse(`a role may have ${MAX_PERMISSIONS} permissions`);
  return { description: description ?? null, permissions: sorted };
}

const describe = (admin: Administrator, action: AuditAction, role: string, permissions?: readonly string[]) => [
  auditEntry(adminActor(admin), action, { role, ...(permissions && { permissions }) }),
];

/** This thread follows at once, the others within seconds. */
async function follow(app: App, requestId: string, audit: readonly AuditEntry[]): Promise<void> {
  logAudit(app, requestId, audit);
  await app.organizationRoles?.look().catch(() => undefined);
}
