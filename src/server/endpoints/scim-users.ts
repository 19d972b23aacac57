import { noContent } from '../http/types.js';
import { patchScimUser, replaceScimUser } from '../scim/change-scim-user.js';
import { createScimUser } from '../scim/create-scim-user.js';
import { deleteScimUser } from '../scim/delete-scim-user.js';
import { USER_KIND } from '../scim/scim-schemas.js';
import { listUsers, readScimUser } from '../scim/scim-users.js';
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

const many = { ...scimEndpoint, path: '/scim/v2/Users' } as const;
const one = { ...scimEndpoint, path: '/scim/v2/Users/{id}' } as const;
const errors = ['scimDisabled'] as const;
const listErrors = [...errors, 'scimFilterInvalid', 'scimValueInvalid', 'scimCursorInvalid'] as const;
const found = [...errors, 'scimNotFound'] as const;
const writeErrors = ['scimValueInvalid', 'scimUniqueness', 'overloaded'] as const;
const reachErrors = ['scimLastOwner', 'scimOwner', 'scimMemberBeyond'] as const;
const joinErrors = ['organizationNotFound', 'organizationAddressNotAllowed', 'tooManyMembers'] as const;
const changeErrors = [...found, ...writeErrors, 'scimVersionDiffers', ...reachErrors, ...joinErrors] as const;
const body = scimBody('The person.');

export const postScimUsers = defineEndpoint({
  ...many,
  ...body,
  method: 'POST',
  query: resourceQuery,
  id: 'scimCreateUser',
  summary: 'Makes a person: a new account, or one that belongs to the person already.',
  answers: scimAnswer('ScimResource', 'The person.', 201),
  errors: [...errors, ...writeErrors, ...joinErrors, ...reachErrors],
  async handler(app, request) {
    const asked = scimRequestOf(USER_KIND, request);
    return scimResourceReply(await createScimUser(app, asked, request.body), 201);
  },
});

export const getScimUsers = defineEndpoint({
  ...many,
  method: 'GET',
  query: scimListQuery,
  id: 'scimListUsers',
  summary: 'Lists people, as far as a filter says.',
  answers: scimAnswer('ScimList', 'A page of people.'),
  errors: listErrors,
  handler: async (app, { caller, query }) => scimReply(await listUsers(app, caller, listParameters(query))),
});

export const postScimUsersSearch = defineEndpoint({
  ...many,
  ...body,
  method: 'POST',
  path: '/scim/v2/Users/.search',
  id: 'scimSearchUsers',
  summary: 'The same with the parameters in the body (RFC 7644 3.4.3).',
  answers: scimAnswer('ScimList', 'A page of people.'),
  errors: listErrors,
  handler: async (app, { caller, body: given }) => scimReply(await listUsers(app, caller, searchParameters(given))),
});

export const getScimUser = defineEndpoint({
  ...one,
  method: 'GET',
  query: resourceQuery,
  id: 'scimGetUser',
  summary: 'Returns a person.',
  answers: {
    ...scimAnswer('ScimResource', 'The person.'),
    304: { description: 'The version is that of If-None-Match.' },
  },
  errors: found,
  async handler(app, request) {
    const asked = scimRequestOf(USER_KIND, request);
    return scimResourceReply(await readScimUser(app, asked, request.params.id), 200, asked.preconditions);
  },
});

export const putScimUser = defineEndpoint({
  ...one,
  ...body,
  method: 'PUT',
  query: resourceQuery,
  id: 'scimReplaceUser',
  summary: 'Replaces a person; what is absent is removed.',
  answers: scimAnswer('ScimResource', 'The person.'),
  errors: changeErrors,
  async handler(app, request) {
    const asked = scimRequestOf(USER_KIND, request);
    return scimResourceReply(await replaceScimUser(app, asked, request.params.id, request.body));
  },
});

export const patchScimUserEndpoint = defineEndpoint({
  ...one,
  ...scimBody('Operations (RFC 7644 3.5.2).'),
  method: 'PATCH',
  query: resourceQuery,
  id: 'scimPatchUser',
  summary: 'Changes a person by operations: all of them, or none.',
  answers: scimAnswer('ScimResource', 'The person.'),
  errors: [
    ...changeErrors,
    'scimSyntaxInvalid',
    'scimPathInvalid',
    'scimFilterInvalid',
    'scimMutability',
    'scimNoTarget',
    'scimTooMany',
  ],
  async handler(app, request) {
    const asked = scimRequestOf(USER_KIND, request);
    return scimResourceReply(await patchScimUser(app, asked, request.params.id, request.body));
  },
});

export const deleteScimUserEndpoint = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'scimDeleteUser',
  summary: 'Deletes a person: sessions end, and the account is banned or removed (AUTH_SCIM_DELETE).',
  answers: { 204: { description: 'Deleted.' } },
  errors: [...found, 'scimVersionDiffers', 'scimLastOwner', 'scimOwner'],
  async handler(app, request) {
    await deleteScimUser(app, scimRequestOf(USER_KIND, request), request.params.id);
    return noContent();
  },
});
