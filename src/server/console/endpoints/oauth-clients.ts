import { listGrantsOfClient } from '../../../db/console-lists.js';
import { adminActor } from '../../accounts/audit.js';
import { allFields } from '../../endpoints/shared/fields.js';
import { viewClient, viewClientWithSecret } from '../../oauth/client-view.js';
import {
  type ClientAuthor,
  changeClient,
  deleteClient,
  readClient,
  readClientsAfter,
  registerClient,
  renewClientSecret,
} from '../../oauth/clients.js';
import { assertOauthServerOn } from '../../oauth/switches.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { beginning, cursorAfter, placeOfCreated, readLimit, readPlace } from '../list-query.js';
import { asAdministrator, deedOf, type OperatorDeed } from '../operator-audit.js';
import { done } from './user.js';
import { listQuery } from './users.js';

const text = { type: 'string' } as const;
const client = { $ref: '#/components/schemas/OauthClient' } as const;
const clientWithSecret = { $ref: '#/components/schemas/NewOauthClient' } as const;
const givenFields = {
  redirect_uris: allFields.redirect_uris,
  client_type: allFields.client_type,
  token_endpoint_auth_method: allFields.token_endpoint_auth_method,
  grant_types: allFields.grant_types,
  client_name: allFields.client_name,
  client_uri: allFields.client_uri,
  logo_uri: allFields.logo_uri,
  scope: allFields.scope,
  post_logout_redirect_uris: allFields.post_logout_redirect_uris,
  backchannel_logout_uri: allFields.backchannel_logout_uri,
  backchannel_logout_session_required: allFields.backchannel_logout_session_required,
  refresh_token_ttl: allFields.refresh_token_ttl,
  resources: allFields.resources,
  role: allFields.role,
  jwks: allFields.jwks,
  jwks_uri: allFields.jwks_uri,
  organization_id: allFields.organization_id,
  organization_roles: allFields.organization_roles,
};
const many = { path: '/api/oauth-clients', assertOn: assertOauthServerOn, tag: 'OAuth clients' } as const;
const one = { ...many, path: '/api/oauth-clients/{client_id}' } as const;
const notFound = ['oauthServerDisabled', 'clientIdNotUuid', 'clientNotFound'] as const;
const invalid = [
  ...(['clientRedirectUriInvalid', 'clientMetadataInvalid'] as const),
  ...(['organizationsDisabled', 'organizationNotFound', 'roleNotFound'] as const),
] as const;

const authorOf = (deed: OperatorDeed): ClientAuthor => ({
  requestId: deed.requestId,
  actor: adminActor(asAdministrator(deed)),
});

export const getOauthClients = defineConsole({
  ...many,
  method: 'GET',
  role: 'viewer',
  query: listQuery,
  id: 'listOauthClients',
  summary: 'Lists the clients of the authorization server, newest first.',
  answer: {
    description: 'A page, without secrets.',
    body: objectOf({ clients: listOf(client), next_cursor: orNull('string') }),
  },
  errors: ['oauthServerDisabled', 'badPagination'],
  async handler(app, { query }) {
    const limit = readLimit(query);
    const rows = await readClientsAfter(app, readPlace(query) ?? beginning, limit);
    const next_cursor = cursorAfter(rows, limit, placeOfCreated);
    return { status: 200, body: { clients: rows.map(viewClient), next_cursor } };
  },
});

export const postOauthClient = defineConsole({
  ...many,
  method: 'POST',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'createOauthClient',
  summary: 'Adds a client.',
  answer: {
    status: 201,
    description: 'The client, with its secret, which is not shown again.',
    body: clientWithSecret,
  },
  errors: ['oauthServerDisabled', ...invalid],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const made = await registerClient(app, authorOf(deedOf(request)), given, 'manual');
    return { status: 201, body: viewClientWithSecret(made) };
  },
});

export const getOauthClient = defineConsole({
  ...one,
  method: 'GET',
  role: 'viewer',
  id: 'readOauthClient',
  summary: 'Returns a client.',
  answer: { description: 'The client, without its secret.', body: client },
  errors: notFound,
  handler: async (app, { params }) => ({ status: 200, body: viewClient(await readClient(app, params.client_id)) }),
});

export const putOauthClient = defineConsole({
  ...one,
  method: 'PUT',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'changeOauthClient',
  summary: 'Changes a client; fields that are absent stay.',
  answer: { description: 'The client, without its secret.', body: client },
  errors: [...notFound, ...invalid],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const row = await changeClient(app, authorOf(deedOf(request)), request.params.client_id, given);
    return { status: 200, body: viewClient(row) };
  },
});

export const deleteOauthClientById = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'deleteOauthClient',
  summary: 'Deletes a client, and ends its sessions.',
  answer: done,
  errors: notFound,
  async handler(app, request) {
    await deleteClient(app, authorOf(deedOf(request)), request.params.client_id);
    return { status: 204 };
  },
});

export const postOauthClientSecret = defineConsole({
  ...one,
  method: 'POST',
  path: '/api/oauth-clients/{client_id}/rotate-secret',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'rotateOauthClientSecret',
  summary: 'Gives a client a new secret; the old one ends at once.',
  answer: { description: 'The client, with its secret, which is not shown again.', body: clientWithSecret },
  errors: [...notFound, 'clientSecretOfPublic', 'clientSecretOfKey'],
  async handler(app, request) {
    const renewed = await renewClientSecret(app, authorOf(deedOf(request)), request.params.client_id);
    return { status: 200, body: viewClientWithSecret(renewed) };
  },
});

export const getOauthClientGrants = defineConsole({
  ...one,
  method: 'GET',
  path: '/api/oauth-clients/{client_id}/grants',
  role: 'viewer',
  query: listQuery,
  id: 'listOauthClientGrants',
  summary: 'Lists the users who have allowed a client something, newest first.',
  answer: {
    description: 'A page.',
    body: objectOf({
      grants: listOf(
        objectOf({
          user_id: text,
          email: orNull('string'),
          phone: orNull('string'),
          scopes: { type: 'array', items: text },
          granted_at: text,
        }),
      ),
      next_cursor: orNull('string'),
    }),
  },
  errors: [...notFound, 'badPagination'],
  async handler(app, { params, query }) {
    const { id } = await readClient(app, params.client_id);
    const limit = readLimit(query);
    const grants = await listGrantsOfClient(app.db, id, readPlace(query) ?? beginning, limit);
    const next_cursor = cursorAfter(grants, limit, ({ granted_at, user_id }) => ({
      createdAt: granted_at,
      id: user_id,
    }));
    return { status: 200, body: { grants, next_cursor } };
  },
});
