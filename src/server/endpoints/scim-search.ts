import { searchAll } from '../scim/search-all.js';
import { defineEndpoint } from './shared/define.js';
import { scimAnswer, scimBody, scimEndpoint, scimReply, searchParameters } from './shared/scim-docs.js';

export const postScimSearch = defineEndpoint({
  ...scimEndpoint,
  ...scimBody('What is searched: filter, startIndex, count, attributes, excludedAttributes.'),
  method: 'POST',
  path: '/scim/v2/.search',
  id: 'scimSearch',
  summary: 'Lists people and groups as one list, people first, as far as a filter says (RFC 7644 3.4.3).',
  answers: scimAnswer('ScimList', 'A page of people and groups.'),
  errors: ['scimDisabled', 'scimFilterInvalid', 'scimValueInvalid', 'scimCursorInvalid'],
  handler: async (app, { caller, body }) => scimReply(await searchAll(app, caller, searchParameters(body))),
});
