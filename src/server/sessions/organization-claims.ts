/** What access tokens say of organizations (docs/organizations.md, In the token). */
import type { ActiveOrganization, SessionFacts, UserRow } from '../../db/user-rows.js';
import type { RoleCatalog } from '../organizations/role-catalog.js';
import type { App } from '../runtime/app.js';
import { findBreach } from './policy-breach.js';

/** Members of the payload as JSON, each with a comma before it. */
export interface ClaimText {
  readonly text: string;
  readonly bytes: number;
}

/** The same claims in several lengths, the longest first: the first one that fits into the token is taken. */
export type OrganizationClaims = readonly [ClaimText, ...ClaimText[]];

const MAX_PERMISSION_BYTES = 4096;

const TRUNCATED = { org_permissions_truncated: true };

const NONE: OrganizationClaims = [{ text: '', bytes: 0 }];

/** Per state of the roles: a change of them makes new claims. */
const rendered = new WeakMap<object, WeakMap<SessionFacts, OrganizationClaims>>();

/** What a token says of an organization and the roles in it. Permissions that are too long are left out. */
export function claimsOfRoles(
  catalog: RoleCatalog,
  { id, slug, roles }: Pick<ActiveOrganization, 'id' | 'slug' | 'roles'>,
): Readonly<Record<string, unknown>> {
  const permissions = catalog.permissionsOf(roles);
  const isLong = Buffer.byteLength(JSON.stringify(permissions)) > MAX_PERMISSION_BYTES;
  const more = isLong ? TRUNCATED : { org_permissions: permissions };
  return { org_id: id, org_slug: slug, org_roles: roles, ...more };
}

/**
 * Tokens of OAuth clients say nothing of organizations unless they act for one, and those of operators never do. Nor does one name an
 * organization whose policies do not admit its session, whatever has led to it.
 * @throws ApiError overloaded while the roles have never been read
 */
export function claimsOfOrganizations(
  app: Pick<App, 'config' | 'organizationRoles'>,
  user: Readonly<UserRow>,
  given: SessionFacts,
): OrganizationClaims {
  if (app.organizationRoles === null || given.act) return NONE;
  const session = findBreach(app, user, given) === null ? given : { ...given, organization: null };
  const isListed = app.config.organizationsClaim === 'all' && !!user.memberships && !session.client;
  if (!session.organization && !isListed) return NONE;
  const catalog = app.organizationRoles.catalog();
  let known = rendered.get(catalog);
  if (known === undefined) {
    known = new WeakMap();
    rendered.set(catalog, known);
  }
  // The facts of a session are read anew with each version of its account.
  let claims = known.get(session);
  if (claims === undefined) {
    claims = render(catalog, user, session, isListed);
    known.set(session, claims);
  }
  return claims;
}

function render(
  catalog: RoleCatalog,
  user: Readonly<UserRow>,
  { organization }: SessionFacts,
  isListed: boolean,
): OrganizationClaims {
  const list = isListed
    ? { organizations: Object.fromEntries(user.memberships!.map(({ id, roles }) => [id, roles])) }
    : {};
  if (!organization) return [toText(list), ...NONE];
  const whole = claimsOfRoles(catalog, organization);
  const { org_permissions: _left, ...active } = whole;
  const short = { ...active, ...TRUNCATED };
  const [longest, ...shorter] = [{ ...whole, ...list }, whole, short];
  return [toText(longest!), ...shorter.map(toText)];
}

function toText(claims: object): ClaimText {
  const members = JSON.stringify(claims).slice(1, -1);
  const text = members === '' ? '' : `,${members}`;
  return { text, bytes: Buffer.byteLength(text) };
}
