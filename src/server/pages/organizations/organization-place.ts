/** The pages of one organization: which there are, what they need, and their addresses. */
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
export type OrganizationPart = '' | 'members' | 'invitations' | 'domains' | 'policies';

/** What the pages need, in their order; null: every member has it. */
const needed: Readonly<Record<OrganizationPart, BuiltInPermission | null>> = {
  '': null,
  members: 'members:read',
  invitations: 'invitations:manage',
  domains: 'domains:manage',
  policies: 'organization:manage',
};

export const mayOpen = ({ may }: OwnStanding, part: OrganizationPart): boolean =>
  needed[part] === null || may(needed[part]);

/** Those that the member may open, beside the first one. */
export const partsOf = ({ own }: Pick<OrganizationVisit, 'own'>): readonly Exclude<OrganizationPart, ''>[] =>
  (['members', 'invitations', 'domains', 'policies'] as const).filter((part) => mayOpen(own, part));

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
