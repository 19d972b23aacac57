/** Schemas of organizations (built in organizations/view-organization.ts). */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const optionalText = (description: string): JsonSchema => ({ type: ['string', 'null'], description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });
const roles: JsonSchema = { type: 'array', items: { type: 'string' }, description: 'Names of roles, sorted.' };

const policies: JsonSchema = {
  type: 'object',
  properties: {
    require_aal2: { type: 'boolean', description: 'Sessions that act for it need a second factor.' },
    require_sso: { type: 'boolean', description: 'They need a sign-in at an identity provider of it.' },
    session_hours: {
      type: ['integer', 'null'],
      description: 'How many hours after its sign-in a session may act for it.',
    },
    allowed_domains: {
      type: 'array',
      items: { type: 'string' },
      description: 'Domains of addresses that may be invited and may join; empty: all.',
    },
  },
  required: ['require_aal2', 'require_sso', 'session_hours', 'allowed_domains'],
  description: 'What it demands of the sessions that act for it.',
};

const domains: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      domain: text('The domain, lower case.'),
      status: { enum: ['pending', 'verified'], description: 'verified: its record was seen.' },
    },
    required: ['domain', 'status'],
  },
  description: 'Its domains, by name.',
};

const properties = {
  id: uuid('Id of the organization.'),
  name: text('Name for people.'),
  slug: text('Unique; for addresses.'),
  logo_url: optionalText('Address of a picture (https).'),
  metadata: { type: 'object', description: 'What the application keeps with it.', additionalProperties: true },
  policies,
  domains,
  created_at: time('When it was created.'),
  updated_at: time('When it was changed last.'),
};

const ownProperties = {
  ...properties,
  roles,
  joined_at: time('When the caller joined.'),
  is_active: { type: 'boolean', description: 'The session acts for it.' },
};

const via: JsonSchema = {
  enum: ['invitation', 'domain', 'sso', 'scim', 'admin', 'creation'],
  description: 'How the user joined.',
};

const adminProperties = {
  ...properties,
  max_members: {
    type: ['integer', 'null'],
    description: 'How many members it may have; 0: no limit; null: AUTH_ORGANIZATIONS_MAX_MEMBERS.',
  },
};

const memberProperties = {
  user: {
    type: 'object',
    properties: {
      id: uuid('Id of the user.'),
      email: optionalText('Email address.'),
      phone: optionalText('Phone number.'),
      name: optionalText('Name, of user_metadata.'),
      avatar_url: optionalText('Address of a picture, of user_metadata.'),
    },
    required: ['id', 'email', 'phone', 'name', 'avatar_url'],
  },
  roles,
  joined_at: time('When the user joined.'),
  via,
};

const invitationProperties = {
  id: uuid('Id of the invitation.'),
  organization_id: uuid('Id of the organization.'),
  email: text('The address that is invited.'),
  roles,
  invited_by: {
    type: ['string', 'null'],
    format: 'uuid',
    description: 'Id of the inviter; null: an administrator of the installation.',
  },
  created_at: time('When the address was invited.'),
  expires_at: time('Until when it can be accepted.'),
  acceptable: {
    type: 'boolean',
    description:
      'It gives its roles now. false: its inviter may not give them any more, a role is gone, or the policies exclude the address; sent again, it counts with the rights of whoever sends it.',
  },
};

const domainProperties = {
  domain: text('The domain, lower case.'),
  status: { enum: ['pending', 'verified'], description: 'verified: its record was seen.' },
  record: {
    type: 'object',
    properties: {
      name: text('Name of the record.'),
      type: { enum: ['TXT'], description: 'Type of the record.' },
      value: text('Value of the record.'),
    },
    required: ['name', 'type', 'value'],
    description: 'What to put up in the DNS.',
  },
  created_at: time('When it was added.'),
  verified_at: { type: ['string', 'null'], format: 'date-time', description: 'When its record was seen first.' },
  auto_join: { type: 'boolean', description: 'Who has proven an address of it joins at the next sign-in.' },
  roles: { ...roles, description: 'Names of the roles of those who join so, sorted.' },
};

const roleProperties = {
  name: text('Name of the role.'),
  description: text('Note for people.'),
  permissions: { type: 'array', items: { type: 'string' }, description: 'All that the role permits, sorted.' },
};

const schemaOf = (members: Readonly<Record<string, unknown>>): JsonSchema => ({
  type: 'object',
  properties: members,
  required: Object.keys(members),
});

export const organizationSchemas: Readonly<Record<string, JsonSchema>> = {
  Organization: schemaOf(properties),
  OwnOrganization: schemaOf(ownProperties),
  OrganizationMember: schemaOf(memberProperties),
  OrganizationProvider: {
    oneOf: [{ $ref: '#/components/schemas/SsoProvider' }, { $ref: '#/components/schemas/CustomProvider' }],
  },
  AdminOrganization: schemaOf(adminProperties),
  UserOrganization: schemaOf({ ...adminProperties, roles, joined_at: time('When the user joined.'), via }),
  GivableRole: schemaOf({
    ...roleProperties,
    may_give: { type: 'boolean', description: 'The caller may give it to a member.' },
  }),
  OrganizationRole: schemaOf({
    ...roleProperties,
    built_in: { type: 'boolean', description: 'It cannot be removed.' },
  }),
  OrganizationInvitation: schemaOf(invitationProperties),
  OwnInvitation: schemaOf({
    ...invitationProperties,
    organization: schemaOf({
      id: properties.id,
      name: properties.name,
      slug: properties.slug,
      logo_url: properties.logo_url,
    }),
  }),
  InvitationResult: {
    type: 'object',
    properties: {
      email: text('The address, as far as it was given.'),
      invitation: { $ref: '#/components/schemas/OrganizationInvitation' },
      error_code: text('Why the address was not invited.'),
      msg: text('The same for people.'),
    },
    required: ['email'],
  },
  OrganizationDomain: schemaOf(domainProperties),
  OrganizationAuditEntry: schemaOf({
    id: uuid('Id of the entry.'),
    payload: {
      type: 'object',
      description:
        'Actor, action, log_type and traits. Which administrator acted is in the log of the installation only.',
      additionalProperties: true,
    },
    created_at: time('When it happened.'),
  }),
};
