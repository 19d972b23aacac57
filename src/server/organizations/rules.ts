/**
 * Who may do what in an organization: the only place that decides it. Endpoints, pages, the console, sign-ins at companies and
 * provisioning call it, each for what it is about to write, in the transaction that has locked the organization (locked-organization.ts).
 * What a role permits is in memory (follow-roles.ts).
 */
import type { OrganizationPolicies, PoliciesInForce, SessionFacts } from '../../db/user-rows.js';
import { domainOf } from '../accounts/addresses.js';
import { ApiError, apiError } from '../errors.js';
import { fieldError } from './field-error.js';
import { type BuiltInPermission, OWNER, type RoleCatalog } from './role-catalog.js';

/** Who wants to do something. */
export type Standing =
  | {
      readonly kind: 'member';
      readonly roles: readonly string[];
      /** Was an owner when the request began: another owner has been faster. */
      readonly wasOwner?: boolean;
    }
  /** An administrator of the installation, or a rule that one of its administrators or of its owners has set. */
  | { readonly kind: 'administrator' };

export const ADMINISTRATOR: Standing = { kind: 'administrator' };

/** The roles of the member who is concerned, and whether another one is an owner. */
export interface Concerned {
  readonly roles: readonly string[];
  readonly hasOtherOwner: boolean;
}

const isOwner = (roles: readonly string[]): boolean => roles.includes(OWNER);

/** @throws ApiError organizationPermissionMissing */
export function assertPermitted(catalog: RoleCatalog, standing: Standing, permission: BuiltInPermission): void {
  if (standing.kind === 'member' && !catalog.permits(standing.roles, permission)) refuse(permission);
}

/**
 * Whether these roles may be given: only with all that they permit, and only an owner makes owners.
 * @param needed what giving needs besides: members:manage to assign and to invite, clients:manage for a client
 * @throws ApiError organizationPermissionMissing, ownersOnly
 */
export function assertMayGive(
  catalog: RoleCatalog,
  standing: Standing,
  roles: readonly string[],
  needed: BuiltInPermission = 'members:manage',
): void {
  if (standing.kind === 'administrator') return;
  assertPermitted(catalog, standing, needed);
  if (isOwner(roles) && !isOwner(standing.roles)) throw apiError('ownersOnly');
  const missing = catalog.permissionsOf(roles).find((permission) => !catalog.permits(standing.roles, permission));
  if (missing !== undefined) refuse(missing);
}

/**
 * Whether an address may be invited with these roles: who invites decides who becomes a member, as who assigns does.
 * @throws ApiError organizationPermissionMissing, ownersOnly
 */
export function assertMayInviteWith(catalog: RoleCatalog, standing: Standing, roles: readonly string[]): void {
  assertPermitted(catalog, standing, 'invitations:manage');
  assertMayGive(catalog, standing, roles);
}

/**
 * Whether an identity provider may be set up so. Who says where people sign in can sign in as any of them, so it needs all that it
 * gives to them, and all that they have.
 * @param gives roles of those who join by it
 * @param held roles of those who sign in there already, where it changes whose word counts
 * @throws ApiError organizationPermissionMissing, ownersOnly
 */
export function assertMayProvide(
  catalog: RoleCatalog,
  standing: Standing,
  gives: readonly string[],
  held: readonly string[],
): void {
  assertMayGive(catalog, standing, [...gives, ...held], 'sso:manage');
}

/**
 * Whether users may join with these roles without anybody's further doing. None of them is made an owner so.
 * @throws ApiError organizationPermissionMissing, organizationFieldInvalid
 */
export function assertMayLetJoin(catalog: RoleCatalog, standing: Standing, roles: readonly string[]): void {
  assertMayGive(
    catalog,
    standing,
    roles.filter((role) => role !== OWNER),
  );
  if (isOwner(roles)) throw fieldError('no one becomes an owner by a domain', 'owner_by_rule');
}

/**
 * Whether a member may get other roles. Of those, only what is new is given.
 * @throws ApiError organizationPermissionMissing, ownersOnly, lastOwner
 */
export function assertMayChangeRoles(
  catalog: RoleCatalog,
  standing: Standing,
  { roles, hasOtherOwner }: Concerned,
  next: readonly string[],
): void {
  const leavesNone = isOwner(roles) && !isOwner(next) && !hasOtherOwner;
  if (leavesNone && hasLostOwnership(standing)) throw apiError('lastOwner');
  assertMayGive(
    catalog,
    standing,
    next.filter((role) => !roles.includes(role)),
  );
  if (standing.kind === 'member' && isOwner(roles) && !isOwner(standing.roles)) throw apiError('ownersOnly');
  if (leavesNone) throw apiError('lastOwner');
}

/** Two owners who demote each other at once: the slower one hears that the other is the last, not that a permission is missing. */
const hasLostOwnership = (standing: Standing): boolean =>
  standing.kind === 'member' && standing.wasOwner === true && !isOwner(standing.roles);

/**
 * @param isOwnWish the member leaves, which needs no permission
 * @throws ApiError organizationPermissionMissing, ownersOnly, lastOwner
 */
export function assertMayRemove(
  catalog: RoleCatalog,
  standing: Standing,
  { roles, hasOtherOwner }: Concerned,
  isOwnWish: boolean,
): void {
  const leavesNone = isOwner(roles) && !hasOtherOwner;
  if (leavesNone && hasLostOwnership(standing)) throw apiError('lastOwner');
  if (!isOwnWish && standing.kind === 'member') {
    assertPermitted(catalog, standing, 'members:manage');
    if (isOwner(roles) && !isOwner(standing.roles)) throw apiError('ownersOnly');
  }
  if (leavesNone) throw apiError('lastOwner');
}

/**
 * Whether a client of the organization may be added, changed or get another secret. Whoever has its secret acts with its roles, so this
 * needs what giving them needs, also those that it has already.
 * @param roles of the client
 * @throws ApiError organizationPermissionMissing, ownersOnly
 */
export const assertMayManageClient = (catalog: RoleCatalog, standing: Standing, roles: readonly string[]): void =>
  assertMayGive(catalog, standing, roles, 'clients:manage');

/**
 * Whether a token of provisioning may be made or ended: whoever has it says who is a member, so this needs what giving their roles needs.
 * @param gives roles that people get by it
 * @throws ApiError organizationPermissionMissing, ownersOnly
 */
export const assertMayProvision = (catalog: RoleCatalog, standing: Standing, gives: readonly string[]): void =>
  assertMayGive(catalog, standing, gives, 'scim:manage');

/** @param roles of the client. @throws ApiError organizationPermissionMissing, ownersOnly */
export function assertMayEndClient(catalog: RoleCatalog, standing: Standing, roles: readonly string[]): void {
  assertPermitted(catalog, standing, 'clients:manage');
  if (standing.kind === 'member' && isOwner(roles) && !isOwner(standing.roles)) throw apiError('ownersOnly');
}

/** @throws ApiError roleNotFound */
export function assertKnownRoles(catalog: RoleCatalog, roles: readonly string[]): void {
  const unknown = roles.find((role) => !catalog.names.has(role));
  if (unknown !== undefined) throw apiError('roleNotFound', { role: unknown });
}

/** Whether a rule lets something pass, for pages that offer no more than that. It decides again when it is done. */
export function isAllowed(rule: () => void): boolean {
  try {
    rule();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

const policyErrors = ['organizationRequiresAal2', 'organizationRequiresSso', 'organizationSessionExpired'] as const;

/** What a policy refuses a session with. */
export type PolicyError = (typeof policyErrors)[number];

/** @param name of an API error */
export const isPolicyError = (name: string): name is PolicyError => (policyErrors as readonly string[]).includes(name);

/**
 * Whether a session may act for an organization, and call its endpoints. What asks for a new sign-in comes before what this session can
 * still do. Owners who have used a second factor need no sign-on of the company, so that they can repair it.
 * @param roles of the user in it
 * @param nowSeconds seconds since the epoch
 * @returns null: it may
 */
export function findPolicyBreach(
  policies: PoliciesInForce,
  roles: readonly string[],
  { aal, amr }: Pick<SessionFacts, 'aal' | 'amr'>,
  nowSeconds: number,
): PolicyError | null {
  const isRaised = aal === 'aal2';
  const {
    require_aal2: needsFactor,
    require_sso: needsSso,
    session_hours: hours,
    identity_providers: own = [],
  } = policies;
  const isFromOwn = amr.some(({ provider }) => provider !== undefined && own.includes(provider));
  if (needsSso && !isFromOwn && !(isRaised && isOwner(roles))) return 'organizationRequiresSso';
  // A session was opened with its oldest method; of one that says nothing of it, it is not known to be young enough.
  const openedAt = amr.length === 0 ? 0 : Math.min(...amr.map(({ timestamp }) => timestamp));
  if (hours !== null && nowSeconds >= openedAt + hours * 3600) return 'organizationSessionExpired';
  return needsFactor && !isRaised ? 'organizationRequiresAal2' : null;
}

/**
 * Whether an address may be invited and may join. Members who are there stay.
 * @param email null: the account has none
 * @throws ApiError organizationAddressNotAllowed
 */
export function assertAddressAllowed(policies: OrganizationPolicies | null, email: string | null): void {
  const allowed = policies?.allowed_domains ?? [];
  if (allowed.length === 0 || allowed.includes(domainOf(email ?? ''))) return;
  throw apiError('organizationAddressNotAllowed', { domains: allowed.slice(0, 5).join(', ') });
}

/**
 * Whether an address may be invited, and accept it. No policy binds administrators of the installation.
 * @param standing of the inviter
 * @throws ApiError organizationAddressNotAllowed
 */
export function assertAddressInvitable(standing: Standing, policies: OrganizationPolicies | null, email: string): void {
  if (standing.kind === 'member') assertAddressAllowed(policies, email);
}

function refuse(permission: string): never {
  throw apiError('organizationPermissionMissing', { permission });
}
