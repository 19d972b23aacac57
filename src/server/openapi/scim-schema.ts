/** Schemas of provisioning. Those of resources are told by /scim/v2/Schemas. */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const time = (description: string): JsonSchema => ({ type: ['string', 'null'], format: 'date-time', description });
const urns: JsonSchema = { type: 'array', items: { type: 'string' }, description: 'URNs of its schemas.' };

const tokenProperties = {
  id: { type: 'string', format: 'uuid', description: 'Id of the token.' },
  name: text('Name for people.'),
  created_at: { type: 'string', format: 'date-time', description: 'When it was made.' },
  expires_at: time('When it expires; null: never.'),
  last_used_at: time('When it was used last, to the hour; null: never.'),
};
const groupRoles: JsonSchema = {
  type: 'object',
  properties: {
    group: text('Name of the group.'),
    roles: { type: 'array', items: { type: 'string' }, description: 'Names of roles, sorted.' },
  },
  required: ['group', 'roles'],
};
const tokenFields = Object.keys(tokenProperties);

export const scimSchemas: Readonly<Record<string, JsonSchema>> = {
  ScimToken: { type: 'object', properties: tokenProperties, required: tokenFields },
  NewScimToken: {
    type: 'object',
    properties: { ...tokenProperties, token: text('The token: lks_ and 43 characters. It is not shown again.') },
    required: [...tokenFields, 'token'],
  },
  ScimTokens: {
    type: 'object',
    properties: { tokens: { type: 'array', items: { $ref: '#/components/schemas/ScimToken' } } },
    required: ['tokens'],
  },
  ScimGroupRoles: groupRoles,
  ScimGroupRolesList: {
    type: 'object',
    properties: { group_roles: { type: 'array', items: { $ref: '#/components/schemas/ScimGroupRoles' } } },
    required: ['group_roles'],
  },
  ScimResource: { type: 'object', properties: { schemas: urns }, required: ['schemas'], additionalProperties: true },
  ScimList: {
    type: 'object',
    properties: {
      schemas: urns,
      totalResults: { type: 'integer', description: 'Of all pages.' },
      startIndex: { type: 'integer', description: 'Of the first one, from 1; not with a cursor.' },
      itemsPerPage: { type: 'integer', description: 'Of this page.' },
      nextCursor: text('cursor of the next page (RFC 9865); absent on the last one.'),
      Resources: { type: 'array', items: { $ref: '#/components/schemas/ScimResource' } },
    },
    required: ['schemas', 'totalResults'],
  },
  ScimError: {
    type: 'object',
    properties: {
      schemas: urns,
      status: text('The HTTP status.'),
      scimType: text('What is wrong (RFC 7644 3.12).'),
      detail: text('For people.'),
    },
    required: ['schemas', 'status', 'detail'],
  },
};
