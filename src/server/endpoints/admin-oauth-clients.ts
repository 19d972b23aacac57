import { adminActor } from '../accounts/audit.js';
import { offsetOf, pageHeaders, readPage } from '../admin/pagination.js';
import { json, noContent } from '../http/types.js';
import { viewClient, viewClientWithSecret } from '../oauth/client-view.js';
import {
  type ClientAuthor,
  changeClient,
  deleteClient,
  readClient,
  readClients,
  registerClient,
  renewClientSecret,
} from '../oauth/clients.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import type { AdminCaller } from '../sessions/administrator.js';
import { defineEndpoint } from './shared/define.js';
import { ok, page, pageQuery } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { registrationFields } from './shared/registration-fields.js';

const many = {
  path: '/admin/oauth/clients',
  trailingSlash: true,
  caller: 'admin',
  assertOn: assertOauthServerOn,
  tag: 'OAuth server',
} as const;
const one = { ...many, path: '/admin/oauth/clients/{client_id}' } as const;
const given = fields(
  ...registrationFields,
  'refresh_token_ttl',
  'resources',
  'role',
  'organization_id',
  'organization_roles',
);
const notFound = ['oauthServerDisabled', 'clientIdNotUuid', 'clientNotFound'] as const;
const invalid = [
  ...(['clientRedirectUriInvalid', 'clientMetadataInvalid', 'organizationsDisabled'] as const),
  ...(['organizationNotFound', 'roleNotFound'] as const),
] as const;

const authorOf = ({ id, caller }: { id: string; caller: AdminCaller }): ClientAuthor => ({
  requestId: id,
  actor: adminActor(caller),
});

export const getAdminOauthClients = defineEndpoint({
  ...many,
  method: 'GET',
  query: pageQuery,
  id: 'adminListOauthClients',
  summary: 'Lists the clients of the authorization server, newest first.',
  answers: page('A page of clients, without their secrets.', {
    type: 'object',
    properties: { clients: { type: 'array', items: { $ref: '#/components/schemas/OauthClient' } } },
    required: ['clients'],
  }),
  errors: ['oauthServerDisabled', 'badPagination'],
  async handler(app, { path, query }) {
    const asked = readPage(query);
    const { total, clients } = await readClients(app, asked.perPage, offsetOf(asked));
    return json({ clients: clients.map(viewClient) }, 200, pageHeaders(path, query, asked, total));
  },
});

export const postAdminOauthClients = defineEndpoint({
  ...many,
  method: 'POST',
  body: given,
  id: 'adminCreateOauthClient',
  summary: 'Adds a client.',
  answers: { 201: ok('NewOauthClient', 'The client, with its secret.')[200]! },
  errors: ['oauthServerDisabled', ...invalid],
  handler: async (app, request) =>
    json(viewClientWithSecret(await registerClient(app, authorOf(request), request.body, 'manual')), 201),
});

export const getAdminOauthClient = defineEndpoint({
  ...one,
  method: 'GET',
  id: 'adminGetOauthClient',
  summary: 'Returns a client.',
  answers: ok('OauthClient', 'The client, without its secret.'),
  errors: notFound,
  handler: async (app, { params }) => json(viewClient(await readClient(app, params.client_id))),
});

export const putAdminOauthClient = defineEndpoint({
  ...one,
  method: 'PUT',
  body: given,
  id: 'adminUpdateOauthClient',
  summary: 'Changes a client; fields that are absent stay.',
  answers: ok('OauthClient', 'The client, without its secret.'),
  errors: [...notFound, ...invalid],
  handler: async (app, request) =>
    json(viewClient(await changeClient(app, authorOf(request), request.params.client_id, request.body))),
});

export const deleteAdminOauthClient = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'adminDeleteOauthClient',
  summary: 'Deletes a client, and ends its sessions.',
  answers: { 204: { description: 'Deleted.' } },
  errors: notFound,
  async handler(app, request) {
    await deleteClient(app, authorOf(request), request.params.client_id);
    return noContent();
  },
});

export const postAdminOauthClientSecret = defineEndpoint({
  ...one,
  method: 'POST',
  path: '/admin/oauth/clients/{client_id}/regenerate_secret',
  id: 'adminRegenerateOauthClientSecret',
  summary: 'Gives a client a new secret; the old one ends at once.',
  answers: ok('NewOauthClient', 'The client, with its secret.'),
  errors: [...notFound, 'clientSecretOfPublic', 'clientSecretOfKey'],
  handler: async (app, request) =>
    json(viewClientWithSecret(await renewClientSecret(app, authorOf(request), request.params.client_id))),
});
