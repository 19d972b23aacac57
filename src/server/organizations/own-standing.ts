/** What a member may do in an organization, for pages that offer no more than that. The rules decide again when it is done. */
import { findActiveOrganization } from '../../db/active-organization.js';
import {
  findOwnOrganization,
  listSoleOwnerships,
  type OwnOrganizationRow,
  readStanding,
} from '../../db/organizations.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { findRefusal } from '../sessions/admission.js';
import type { UserCaller } from '../sessions/caller.js';
import { DEFAULT_ROLES } from './change-members.js';
import { readJoiningRoles } from './joining-roles.js';
import { readOrganizationId } from './locked-organization.js';
import { catalogOf } from './organizations-on.js';
import { type BuiltInPermission, OWNER } from './role-catalog.js';
import {
  assertMayChangeRoles,
  assertMayEndClient,
  assertMayGive,
  assertMayLetJoin,
  assertMayManageClient,
  assertMayProvide,
  assertMayProvision,
  assertMayRemove,
  assertPermitted,
  isAllowed,
  type PolicyError,
  type Standing,
} from './rules.js';

/** An organization as one of its members sees it. */
export interface OwnStanding {
  readonly organization: OwnOrganizationRow;
  /** What its policies refuse the session with, which may then do nothing but leave; null: nothing. */
  readonly refusal: PolicyError | null;
  may(permission: BuiltInPermission): boolean;
  /** Roles that the member may give. @param needed as assertMayGive() takes it */
  rolesToGive(needed: BuiltInPermission): readonly string[];
  /** Roles with which the member may let people join by a domain. */
  readonly rolesToLetJoin: readonly string[];
  /** Roles that people may get by an identity provider that the member sets up. */
  readonly rolesToProvide: readonly string[];
  /** Whether the member may make and end tokens of provisioning. */
  readonly mayProvision: boolean;
  /** Whether a member with such roles may get others. */
  mayChange(roles: readonly string[]): boolean;
  /** Whether a member with such roles may be removed. */
  mayRemove(roles: readonly string[]): boolean;
  /** Whether a client with such roles may be changed, or get another secret. */
  mayManageClient(roles: readonly string[]): boolean;
  /** Whether a client with such roles may be removed. */
  mayEndClient(roles: readonly string[]): boolean;
}

/** @throws ApiError organizationNotFound */
export async function readOwnStanding(
  app: Pick<App, 'config' | 'db' | 'organizationRoles'>,
  caller: Pick<UserCaller, 'user' | 'sessionId'>,
  pathId: string,
): Promise<OwnStanding> {
  const organization = await findOwnOrganization(app.db, readOrganizationId(pathId), caller.user.id);
  if (organization === undefined) throw apiError('organizationNotFound');
  const { id, policies } = organization;
  const refusal = policies === null ? null : await findRefusal(app, app.db, id, caller);
  const catalog = catalogOf(app);
  const standing: Standing = { kind: 'member', roles: organization.roles };
  // Whether it is the last owner is found out when it is done.
  const concerned = (roles: readonly string[]) => ({ roles, hasOtherOwner: true });
  return {
    organization,
    refusal,
    may: (permission) => isAllowed(() => assertPermitted(catalog, standing, permission)),
    rolesToGive: (needed) =>
      [...catalog.names].filter((role) => isAllowed(() => assertMayGive(catalog, standing, [role], needed))),
    rolesToLetJoin: [...catalog.names].filter((role) => isAllowed(() => assertMayLetJoin(catalog, standing, [role]))),
    rolesToProvide: [...catalog.names].filter((role) =>
      isAllowed(() => {
        readJoiningRoles({ roles: [], role_mapping: [] }, { roles: [role] });
        assertMayProvide(catalog, standing, [role], []);
      }),
    ),
    mayProvision: isAllowed(() => assertMayProvision(catalog, standing, DEFAULT_ROLES)),
    mayChange: (roles) => isAllowed(() => assertMayChangeRoles(catalog, standing, concerned(roles), roles)),
    mayRemove: (roles) => isAllowed(() => assertMayRemove(catalog, standing, concerned(roles), false)),
    mayManageClient: (roles) => isAllowed(() => assertMayManageClient(catalog, standing, roles)),
    mayEndClient: (roles) => isAllowed(() => assertMayEndClient(catalog, standing, roles)),
  };
}

/** Whether a member is the only owner, and so cannot leave. */
export async function isLastOwner(
  { db }: Pick<App, 'db'>,
  { user }: Pick<UserCaller, 'user'>,
  { id, roles }: OwnOrganizationRow,
): Promise<boolean> {
  return roles.includes(OWNER) && !(await readStanding(db, id, user.id, user.id)).has_other_owner;
}

/** Whether the session acts for the organization. */
export async function isActiveIn(
  { db }: Pick<App, 'db'>,
  { sessionId }: Pick<UserCaller, 'sessionId'>,
  organizationId: string,
): Promise<boolean> {
  return sessionId !== null && (await findActiveOrganization(db, sessionId))?.id === organizationId;
}

/** What the end of an account waits for, and what it ends: the organizations that have no other owner. */
export const readSoleOwnerships = async (
  { config, db }: Pick<App, 'config' | 'db'>,
  { user }: Pick<UserCaller, 'user'>,
) => (config.organizationsEnabled && (user.memberships ?? []).length > 0 ? listSoleOwnerships(db, user.id) : []);
