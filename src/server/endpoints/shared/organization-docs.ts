/** What endpoints of organizations share. */
import type { ErrorName } from '../../errors.js';
import type { DocumentedAnswer } from '../../openapi/contract.js';
import { assertOrganizationsOn } from '../../organizations/organizations-on.js';
import { text } from './docs.js';

/** Of an endpoint for users. */
export const organizationEndpoint = {
  trailingSlash: true,
  caller: 'user',
  // They ask the database who is a member.
  callerMayHaveLeft: true,
  assertOn: assertOrganizationsOn,
  tag: 'Organizations',
} as const;

/** Of an endpoint for administrators. */
export const organizationAdminEndpoint = { ...organizationEndpoint, caller: 'admin', tag: 'Administration' } as const;

export const organizationListQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Entries per answer; default 50.' },
  cursor: text('next_cursor of the previous answer; without it, from the beginning.'),
} as const;

/** @param name of the list. @param schema of its entries */
export const organizationPage = (
  name: string,
  schema: string,
  description: string,
): Record<string, DocumentedAnswer> => ({
  200: {
    description,
    body: {
      type: 'object',
      properties: {
        [name]: { type: 'array', items: { $ref: `#/components/schemas/${schema}` } },
        next_cursor: { type: ['string', 'null'], description: '`cursor` of the next request; null: there is no more.' },
      },
      required: [name, 'next_cursor'],
    },
  },
});

export const memberListQuery = {
  search: text('Only members whose address, number or name begins so.'),
  role: text('Only members with this role.'),
  ...organizationListQuery,
} as const;

export const memberPage = organizationPage('members', 'OrganizationMember', 'The members.');

/** A session that the policies of an organization do not admit. */
export const policyErrors: readonly ErrorName[] = [
  'organizationRequiresAal2',
  'organizationRequiresSso',
  'organizationSessionExpired',
];

/** Of every endpoint of one organization. */
export const organizationErrors: readonly ErrorName[] = [
  'organizationsDisabled',
  'organizationNotFound',
  'organizationPermissionMissing',
  ...policyErrors,
];
