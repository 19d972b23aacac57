import type { Section } from './setting.js';

export const scim = {
  scimEnabled: {
    variable: 'SCIM_ENABLED',
    kind: 'bool',
    default: 'false',
    doc: 'Identity providers create, change and end accounts and groups themselves (SCIM 2.0).',
    example: 'true',
  },
} as const satisfies Section;
