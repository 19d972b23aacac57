/** What the roles of organizations permit: built-in ones and those of the installation (docs/organizations.md, Roles). */
import type { OrganizationRoleRow } from '../../db/organization-roles.js';

export const BUILT_IN_PERMISSIONS = [
  'audit:read',
  'clients:manage',
  'domains:manage',
  'invitations:manage',
  'members:manage',
  'members:read',
  'organization:delete',
  'organization:manage',
  'organization:read',
  'scim:manage',
  'sso:manage',
] as const;

export type BuiltInPermission = (typeof BUILT_IN_PERMISSIONS)[number];

/** The role that may do everything, and that each organization has. */
export const OWNER = 'owner';

/** What built-in roles permit; `owner` permits also what any other role does. A map: roles may have names such as `constructor`. */
const builtIn: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [OWNER, BUILT_IN_PERMISSIONS],
  ['admin', BUILT_IN_PERMISSIONS.filter((permission) => permission !== 'organization:delete')],
  ['member', ['members:read', 'organization:read']],
]);

export const BUILT_IN_ROLES: readonly string[] = [...builtIn.keys()];

/** What built-in roles are built to permit. Of an unknown role nothing. */
export const builtInPermissionsOf = (role: string): readonly string[] => builtIn.get(role) ?? [];

/** All roles at one time; immutable. */
export interface RoleCatalog {
  readonly names: ReadonlySet<string>;
  /** The union, sorted. A role that is not there permits nothing. */
  permissionsOf(roles: readonly string[]): readonly string[];
  permits(roles: readonly string[], permission: string): boolean;
}

/** @param rows of the database */
export function makeRoleCatalog(rows: readonly OrganizationRoleRow[]): RoleCatalog {
  const permissions = new Map<string, ReadonlySet<string>>();
  for (const [name, own] of builtIn) permissions.set(name, new Set(own));
  for (const { name, permissions: more } of rows) {
    permissions.set(name, new Set([...builtInPermissionsOf(name), ...more]));
  }
  permissions.set(OWNER, new Set([...permissions.values()].flatMap((own) => [...own])));
  const unions = new Map<string, readonly string[]>();

  function union(roles: readonly string[]): readonly string[] {
    const all = new Set(roles.flatMap((role) => [...(permissions.get(role) ?? [])]));
    return Object.freeze([...all].sort());
  }

  return {
    names: new Set(permissions.keys()),
    permissionsOf(roles) {
      const key = roles.join(' ');
      let known = unions.get(key);
      if (known === undefined) {
        known = union(roles);
        // Most members have one of few combinations.
        if (unions.size < MAX_UNIONS) unions.set(key, known);
      }
      return known;
    },
    permits: (roles, permission) => roles.some((role) => permissions.get(role)?.has(permission) === true),
  };
}

const MAX_UNIONS = 1024;
