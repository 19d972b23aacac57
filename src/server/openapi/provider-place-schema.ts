/** Where an identity provider belongs (built in organizations/provider-place.ts). Absent: to no organization. */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const roles = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description });

export const placeProperties = {
  organization_id: { type: 'string', format: 'uuid', description: 'The organization that it belongs to.' },
  roles: roles('Of those who join the organization by a sign-in.'),
  role_mapping: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        attribute: text('Name or FriendlyName of an attribute, or name of a claim.'),
        value: text('One of its values.'),
        roles: roles('Roles in place of those of the provider.'),
      },
      required: ['attribute', 'value', 'roles'],
    },
    description: 'Other roles, by what the provider says.',
  },
};
