import { noContent } from '../http/types.js';
import {
  createScimGroup,
  deleteScimGroup,
  listGroups,
  patchScimGroup,
  readScimGroup,
  replaceScimGroup,
} from '../scim/scim-groups.js';
import { GROUP_KIND } from '../scim/scim-schemas.js';
import { defineEndpoint } from './shared/define.js';
import {
  listParameters,
  resourceQuery,
  scimAnswer,
  scimBody,
  scimEndpoint,
  scimListQuery,
  scimReply,
  scimRequestOf,
  scimResourceReply,
  searchParameters,
} from './shared/scim-docs.js';

const many = { ...scimEndpoint, path: '/scim/v2/Groups' } as const;
const one = { ...scimEndpoint, path: '/scim/v2/Groups/{id}' } as const;
/** A member takes some 60 bytes and three values. */
const [GROUP_BYTES, GROUP_VALUES] = [1_048_576, 100_000] as const;
const errors = ['scimDisabled'] as const;
const listErrors = [...errors, 'scimFilterInvalid', 'scimValueInvalid', 'scimCursorInvalid'] as const;
const found = [...errors, 'scimNotFound'] as const;
const writeErrors = ['scimValueInvalid', 'scimUniqueness', 'scimGroupBeyond'] as const;
const changeErrors = [...found, ...writeErrors, 'scimVersionDiffers'] as const;
const large = { ...scimBody('The group.', GROUP_VALUES), maxBodyBytes: GROUP_BYTES } as const;

export const postScimGroups = defineEndpoint({
  ...many,
  ...large,
  method: 'POST',
  query: resourceQuery,
  id: 'scimCreateGroup',
  summary: 'Makes a group.',
  answers: scimAnswer('ScimResource', 'The group.', 201),
  errors: [...errors, ...writeErrors],
  async handler(app, request) {
    return scimResourceReply(await createScimGroup(app, scimRequestOf(GROUP_KIND, request), request.body), 201);
  },
});

export const getScimGroups = defineEndpoint({
  ...many,
  method: 'GET',
  query: scimListQuery,
  id: 'scimListGroups',
  summary: 'Lists groups, as far as a filter says.',
  answers: scimAnswer('ScimList', 'A page of groups.'),
  errors: listErrors,
  handler: async (app, { caller, query }) => scimReply(await listGroups(app, caller, listParameters(query))),
});

export const postScimGroupsSearch = defineEndpoint({
  ...many,
  ...scimBody('What is looked for.'),
  method: 'POST',
  path: '/scim/v2/Groups/.search',
  id: 'scimSearchGroups',
  summary: 'The same with the parameters in the body (RFC 7644 3.4.3).',
  answers: scimAnswer('ScimList', 'A page of groups.'),
  errors: listErrors,
  handler: async (app, { caller, body: given }) => scimReply(await listGroups(app, caller, searchParameters(given))),
});

export const getScimGroup = defineEndpoint({
  ...one,
  method: 'GET',
  query: resourceQuery,
  id: 'scimGetGroup',
  summary: 'Returns a group.',
  answers: {
    ...scimAnswer('ScimResource', 'The group.'),
    304: { description: 'The version is that of If-None-Match.' },
  },
  errors: found,
  async handler(app, request) {
    const asked = scimRequestOf(GROUP_KIND, request);
    return scimResourceReply(await readScimGroup(app, asked, request.params.id), 200, asked.preconditions);
  },
});

export const putScimGroup = defineEndpoint({
  ...one,
  ...large,
  method: 'PUT',
  query: resourceQuery,
  id: 'scimReplaceGroup',
  summary: 'Replaces a group; members that are not named go.',
  answers: scimAnswer('ScimResource', 'The group.'),
  errors: changeErrors,
  async handler(app, request) {
    const asked = scimRequestOf(GROUP_KIND, request);
    return scimResourceReply(await replaceScimGroup(app, asked, request.params.id, request.body));
  },
});

export const patchScimGroupEndpoint = defineEndpoint({
  ...one,
  ...scimBody('Operations (RFC 7644 3.5.2).', GROUP_VALUES),
  maxBodyBytes: GROUP_BYTES,
  method: 'PATCH',
  query: resourceQuery,
  id: 'scimPatchGroup',
  summary: 'Changes a group by operations: all of them, or none.',
  answers: {
    ...scimAnswer('ScimResource', 'The group, where attributes says which of it.'),
    204: { description: 'Changed.' },
  },
  errors: [...changeErrors, 'scimSyntaxInvalid', 'scimPathInvalid', 'scimMutability', 'scimNoTarget', 'scimTooMany'],
  async handler(app, request) {
    const asked = scimRequestOf(GROUP_KIND, request);
    await patchScimGroup(app, asked, request.params.id, request.body);
    if (asked.projection.only === null) return noContent();
    return scimResourceReply(await readScimGroup(app, asked, request.params.id));
  },
});

export const deleteScimGroupEndpoint = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'scimDeleteGroup',
  summary: 'Deletes a group. Its members stay.',
  answers: { 204: { description: 'Deleted.' } },
  errors: [...found, 'scimVersionDiffers'],
  async handler(app, request) {
    await deleteScimGroup(app, scimRequestOf(GROUP_KIND, request), request.params.id);
    return noContent();
  },
});
