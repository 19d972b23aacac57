import type { Section } from './setting.js';

export const organizations = {
  organizationsEnabled: {
    variable: 'ORGANIZATIONS_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Organizations: companies, teams or households whose members share things in the application.',
    example: 'true',
  },
  organizationsCreation: {
    variable: 'ORGANIZATIONS_CREATION',
    kind: 'choice',
    choices: ['users', 'admin'],
    default: 'users',
    doc: 'Who creates organizations: users with a confirmed address, or administrators only.',
    example: 'admin',
  },
  organizationsMaxOwned: {
    variable: 'ORGANIZATIONS_MAX_OWNED',
    kind: 'int',
    min: 1,
    max: 10_000,
    default: '10',
    doc: 'How many organizations a user may own.',
    example: '3',
  },
  organizationsMaxMembers: {
    variable: 'ORGANIZATIONS_MAX_MEMBERS',
    kind: 'int',
    min: 0,
    max: 10_000_000,
    default: '0',
    doc: 'How many members an organization may have; 0 means no limit. Administrators may set another number for an organization.',
    example: '100',
  },
  organizationsClaim: {
    variable: 'ORGANIZATIONS_CLAIM',
    kind: 'choice',
    choices: ['active', 'all'],
    default: 'active',
    doc: 'What access tokens say: claims of the active organization, or also the roles in all of them, 50 at most.',
    example: 'all',
  },
} as const satisfies Section;
