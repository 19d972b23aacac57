/** The schemas of people and groups (RFC 7643 4.1 to 4.3). What is not here is ignored. */
import { attributes as of, type ScimAttribute } from './scim-attribute.js';

const { complex, flag, link, text, values } = of;

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export interface ScimSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
}

/** Attributes of every resource (RFC 7643 3.1), which schemas do not list. */
export const commonAttributes: readonly ScimAttribute[] = [
  text('id', 'Id of the account or group here.', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  text('externalId', 'Id at the identity provider.', { caseExact: true }),
  complex(
    'meta',
    'About the resource.',
    [
      text('resourceType', 'User or Group.', { caseExact: true, mutability: 'readOnly' }),
      text('created', 'When it was made.', { type: 'dateTime', mutability: 'readOnly' }),
      text('lastModified', 'When it was changed last.', { type: 'dateTime', mutability: 'readOnly' }),
      text('location', 'Its address.', { type: 'reference', caseExact: true, mutability: 'readOnly' }),
      text('version', 'Its ETag.', { caseExact: true, mutability: 'readOnly' }),
    ],
    { mutability: 'readOnly' },
  ),
];

const addressParts = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'];

const userAttributes: readonly ScimAttribute[] = [
  text('userName', 'Unique name at the identity provider, by which a sign-in finds the account.', {
    required: true,
    uniqueness: 'server',
  }),
  complex('name', 'Parts of the name.', [
    text('formatted', 'The whole name.'),
    text('familyName', 'Last name.'),
    text('givenName', 'First name.'),
    text('middleName', 'Middle names.'),
    text('honorificPrefix', 'Title before the name.'),
    text('honorificSuffix', 'Suffix after the name.'),
  ]),
  text('displayName', 'Name for people.'),
  text('nickName', 'Casual name.'),
  link('profileUrl', 'Page about the person.'),
  text('title', 'Position, such as Vice President.'),
  text('userType', 'Relation to the organization, such as Employee.'),
  text('preferredLanguage', 'Languages, as in Accept-Language.'),
  text('locale', 'For formats of dates and numbers, such as en-US.'),
  text('timezone', 'Such as Europe/Berlin.'),
  flag('active', 'False: sessions end, and the person cannot sign in.'),
  text('password', 'Accepted and dropped.', { caseExact: true, mutability: 'writeOnly', returned: 'never' }),
  values('emails', 'Addresses; one of them is that of the account.', ['work', 'home', 'other']),
  values('phoneNumbers', 'Phone numbers; not used to sign in.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
  values('ims', 'Addresses of messengers.'),
  values('photos', 'Addresses of pictures.', ['photo', 'thumbnail'], link('value', 'Address of the picture.')),
  complex(
    'addresses',
    'Postal addresses.',
    [
      ...addressParts.map((name) => text(name, 'Part of the address.')),
      text('type', 'What it is for.', { canonicalValues: ['work', 'home', 'other'] }),
      flag('primary', 'The first choice; true once at most.'),
    ],
    { multiValued: true },
  ),
  complex(
    'groups',
    'Groups of the person.',
    [
      text('value', 'Id of the group.', { caseExact: true, mutability: 'readOnly' }),
      link('$ref', 'Address of the group.', { mutability: 'readOnly', referenceTypes: ['Group'] }),
      text('display', 'Name of the group.', { mutability: 'readOnly' }),
      text('type', 'direct.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
    ],
    { multiValued: true, mutability: 'readOnly' },
  ),
  values('entitlements', 'What the person may have.'),
  values('roles', 'Roles; those of the organization are given where there is such a role.'),
];

const enterpriseAttributes: readonly ScimAttribute[] = [
  text('employeeNumber', 'Number at the company.'),
  text('costCenter', 'Name of the cost center.'),
  text('organization', 'Name of the organization.'),
  text('division', 'Name of the division.'),
  text('department', 'Name of the department.'),
  complex('manager', 'Whom the person reports to.', [
    text('value', 'Id of the manager.', { caseExact: true }),
    link('$ref', 'Address of the manager.', { referenceTypes: ['User'] }),
    text('displayName', 'Name of the manager.', { mutability: 'readOnly' }),
  ]),
];

const groupAttributes: readonly ScimAttribute[] = [
  text('displayName', 'Name of the group, unique.', { required: true, uniqueness: 'server' }),
  complex(
    'members',
    'People of the group.',
    [
      text('value', 'Id of the person.', { caseExact: true, mutability: 'immutable' }),
      link('$ref', 'Address of the person.', { mutability: 'immutable', referenceTypes: ['User'] }),
      text('type', 'User.', { mutability: 'immutable', canonicalValues: ['User'] }),
      text('display', 'Name of the person; where attributes has members.display.', {
        mutability: 'readOnly',
        returned: 'request',
      }),
    ],
    { multiValued: true },
  ),
];

export const resourceSchemas: readonly ScimSchema[] = [
  { id: USER_SCHEMA, name: 'User', description: 'A person', attributes: userAttributes },
  { id: ENTERPRISE_SCHEMA, name: 'EnterpriseUser', description: 'A person at work', attributes: enterpriseAttributes },
  { id: GROUP_SCHEMA, name: 'Group', description: 'A group of people', attributes: groupAttributes },
];

/** A kind of resource, and what it is made of. */
export interface ScimKind {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly schema: ScimSchema;
  readonly extensions: readonly ScimSchema[];
}

export const USER_KIND: ScimKind = {
  name: 'User',
  endpoint: '/Users',
  description: 'People',
  schema: resourceSchemas[0]!,
  extensions: [resourceSchemas[1]!],
};
export const GROUP_KIND: ScimKind = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups of people',
  schema: resourceSchemas[2]!,
  extensions: [],
};
export const resourceKinds: readonly ScimKind[] = [USER_KIND, GROUP_KIND];
