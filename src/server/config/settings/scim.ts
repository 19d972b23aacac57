import type { Section } from './setting.js';

export const scim = {
  scimEnabled: {
    variable: 'SCIM_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Identity providers create, change and end accounts and groups themselves (SCIM 2.0).',
    example: 'true',
  },
  scimDelete: {
    variable: 'SCIM_DELETE',
    kind: 'choice',
    choices: ['ban', 'remove'],
    default: 'ban',
    doc: 'What becomes of an account that an identity provider deletes: it is banned and kept for 30 days, or removed.',
    example: 'remove',
  },
} as const satisfies Section;
