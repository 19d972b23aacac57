/** What access tokens say of organizations (docs/organizations.md, In the token). */
import type { SessionFacts, UserRow } from '../../db/user-rows.js';
import type { App } from '../runtime/app.js';

/** Members of the payload as JSON, each with a comma before it. */
export interface ClaimText {
  readonly text: string;
  readonly bytes: number;
}

/** The same claims in several lengths, the longest first: the first one that fits into the token is taken. */
export type OrganizationClaims = readonly [ClaimText, ...ClaimText[]];

const MAX_PERMISSION_BYTES = 4096;

const NONE: OrganizationClaims = [{ text: '', bytes: 0 }];

/** Per state of the roles: a change of them makes new claims. */
const rendered = new WeakMap<object, WeakMap<SessionFacts, OrganizationClaims>>();

/**
 * Tokens of OAuth clients and of operators say nothing of organizations.
 * @throws ApiError overloaded while the roles have never been read
 */
export function claimsOfOrganizations(
  app: Pick<App, 'config' | 'organizationRoles'>,
  user: Readonly<UserRow>,
  session: SessionFacts,
): OrganizationClaims {
  if (app.organizationRoles === null || session.client || session.act) return NONE;
  const isListed = app.config.organizationsClaim === 'all' && !!user.memberships;
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
    claims = render(catalog.permissionsOf(session.organization?.roles ?? []), user, session, isListed);
    known.set(session, claims);
  }
  return claims;
}

function render(
  permissions: readonly string[],
  user: Readonly<UserRow>,
  { organization }: SessionFacts,
  isListed: boolean,
): OrganizationClaims {
  const list = isListed
    ? { organizations: Object.fromEntries(user.memberships!.map(({ id, roles }) => [id, roles])) }
    : {};
  if (!organization) return [toText(list), ...NONE];
  const { id, slug, roles } = organization;
  const active = { org_id: id, org_slug: slug, org_roles: roles };
  const short = { ...active, org_permissions_truncated: true };
  const isLong = Buffer.byteLength(JSON.stringify(permissions)) > MAX_PERMISSION_BYTES;
  const whole = isLong ? short : { ...active, org_permissions: permissions };
  const [longest, ...shorter] = [{ ...whole, ...list }, whole, short];
  return [toText(longest!), ...shorter.map(toText)];
}

function toText(claims: object): ClaimText {
  const members = JSON.stringify(claims).slice(1, -1);
  const text = members === '' ? '' : `,${members}`;
  return { text, bytes: Buffer.byteLength(text) };
}
