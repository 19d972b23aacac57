/** The pages of one organization: which there are, what they need, and their addresses. */
import type { Config } from '../../config/settings.js';
import type { OwnStanding } from '../../organizations/own-standing.js';
import type { BuiltInPermission } from '../../organizations/role-catalog.js';
import { type AccountVisit, type Done, placeLink } from '../account/account-visit.js';
import { accountPath } from '../continue.js';
import type { Visit } from '../visit.js';

/** A visit of a member. */
export interface OrganizationVisit extends AccountVisit {
  readonly own: OwnStanding;
}

/** A page of an organization; empty: the first one. */
export type OrganizationPart = '' | 'members' | 'invitations' | 'domains' | 'policies' | 'sso' | 'scim' | 'clients';

/** What the pages need, in their order; null: every member has it. */
const needed: Readonly<Record<OrganizationPart, BuiltInPermission | null>> = {
  '': null,
  members: 'members:read',
  invitations: 'invitations:manage',
  domains: 'domains:manage',
  policies: 'organization:manage',
  sso: 'sso:manage',
  scim: 'scim:manage',
  clients: 'clients:manage',
};

/** What has to be on besides. */
const switches: Partial<Readonly<Record<OrganizationPart, (config: Config) => boolean>>> = {
  sso: ({ samlEnabled, customOauthEnabled }) => samlEnabled || customOauthEnabled,
  scim: ({ scimEnabled }) => scimEnabled,
  clients: ({ oauthServerEnabled }) => oauthServerEnabled,
};

type StandingVisit = Pick<OrganizationVisit, 'app' | 'own'>;

export const mayOpen = ({ app, own }: StandingVisit, part: OrganizationPart): boolean =>
  (needed[part] === null || own.may(needed[part])) && switches[part]?.(app.config) !== false;

/** Those that the member may open, beside the first one. */
export const partsOf = (visit: StandingVisit): readonly Exclude<OrganizationPart, ''>[] =>
  (['members', 'invitations', 'domains', 'sso', 'scim', 'policies', 'clients'] as const).filter((part) =>
    mayOpen(visit, part),
  );

/** Path below /ui/account. */
export const organizationPlace = (id: string, part: OrganizationPart): string =>
  `organizations/${id}${part === '' ? '' : `/${part}`}`;

/** Path of a form below /ui/. */
export const organizationPath = ({ own }: Pick<OrganizationVisit, 'own'>, part: OrganizationPart): string =>
  accountPath(organizationPlace(own.organization.id, part));

/** Address of a page of an organization. @param done what to say there */
export const organizationLink = (
  visit: Pick<Visit, 'up' | 'flow'>,
  id: string,
  part: OrganizationPart = '',
  done?: Done,
): string => placeLink(visit, organizationPlace(id, part), done);
