import { apiError } from '../errors.js';
import { defineEndpoint } from './shared/define.js';
import { scimEndpoint } from './shared/scim-docs.js';

const shared = {
  ...scimEndpoint,
  answers: {},
  errors: ['scimDisabled', 'scimNotImplemented'],
  handler: () => {
    throw apiError('scimNotImplemented');
  },
} as const;
const me = { ...shared, path: '/scim/v2/Me', summary: 'Not supported: a token is of no person.' } as const;

export const postScimBulk = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/scim/v2/Bulk',
  id: 'scimBulk',
  summary: 'Not supported (RFC 7644 3.7).',
});

export const getScimMe = defineEndpoint({ ...me, method: 'GET', id: 'scimGetMe' });
export const postScimMe = defineEndpoint({ ...me, method: 'POST', id: 'scimCreateMe' });
export const putScimMe = defineEndpoint({ ...me, method: 'PUT', id: 'scimReplaceMe' });
export const patchScimMe = defineEndpoint({ ...me, method: 'PATCH', id: 'scimPatchMe' });
export const deleteScimMe = defineEndpoint({ ...me, method: 'DELETE', id: 'scimDeleteMe' });
