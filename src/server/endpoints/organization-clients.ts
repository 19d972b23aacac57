import { json, noContent } from '../http/types.js';
import { viewClient, viewClientWithSecret } from '../oauth/client-view.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import {
  addOrganizationClient,
  type ClientRequest,
  changeOrganizationClient,
  readClientPage,
  readOrganizationClient,
  removeOrganizationClient,
  renewOrganizationClientSecret,
} from '../organizations/organization-clients.js';
import { assertOrganizationsOn } from '../organizations/organizations-on.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import {
  organizationEndpoint,
  organizationErrors,
  organizationListQuery,
  organizationPage,
} from './shared/organization-docs.js';
import { registrationFields } from './shared/registration-fields.js';

const many = {
  ...organizationEndpoint,
  path: '/organizations/{id}/clients',
  assertOn(app: App): void {
    assertOrganizationsOn(app);
    assertOauthServerOn(app);
  },
} as const;
const one = { ...many, path: '/organizations/{id}/clients/{client_id}' } as const;
const given = fields(...registrationFields, 'organization_roles');
const manyErrors = [...organizationErrors, 'oauthServerDisabled'] as const;
const oneErrors = [...manyErrors, 'clientNotFound'] as const;
const givenErrors = [
  ...accessGuardErrors,
  ...(['ownersOnly', 'roleNotFound', 'clientRedirectUriInvalid', 'clientMetadataInvalid', 'overloaded'] as const),
] as const;

interface Asked {
  readonly id: string;
  readonly caller: UserCaller;
  readonly params: { readonly id: string };
}

const requestOf = ({ id, caller, params }: Asked): ClientRequest => ({ requestId: id, caller, pathId: params.id });

export const postOrganizationClients = defineEndpoint({
  ...many,
  method: 'POST',
  secondFactor: 'asked',
  limit: 'organizations',
  body: given,
  id: 'addOrganizationClient',
  summary: 'Adds a client that serves the organization only (clients:manage, and whatever its roles permit).',
  answers: { 201: ok('NewOauthClient', 'The client, with its secret.')[200]! },
  errors: [...manyErrors, ...givenErrors, 'tooManyClients'],
  handler: async (app, request) =>
    json(viewClientWithSecret(await addOrganizationClient(app, requestOf(request), request.body)), 201),
});

export const getOrganizationClients = defineEndpoint({
  ...many,
  method: 'GET',
  secondFactor: 'not asked',
  query: organizationListQuery,
  id: 'listOrganizationClients',
  summary: 'Lists the clients of an organization, the newest first (clients:manage).',
  answers: organizationPage('clients', 'OauthClient', 'The clients, without their secrets.'),
  errors: [...manyErrors, 'organizationFieldInvalid'],
  handler: async (app, request) => json(await readClientPage(app, requestOf(request), request.query)),
});

export const getOrganizationClient = defineEndpoint({
  ...one,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'getOrganizationClient',
  summary: 'Returns a client of an organization (clients:manage).',
  answers: ok('OauthClient', 'The client, without its secret.'),
  errors: oneErrors,
  handler: async (app, request) =>
    json(viewClient(await readOrganizationClient(app, requestOf(request), request.params.client_id))),
});

export const patchOrganizationClient = defineEndpoint({
  ...one,
  method: 'PATCH',
  secondFactor: 'asked',
  body: given,
  id: 'updateOrganizationClient',
  summary: 'Changes a client (clients:manage, and whatever its roles permit); fields that are absent stay.',
  answers: ok('OauthClient', 'The client, without its secret.'),
  errors: [...oneErrors, ...givenErrors],
  async handler(app, request) {
    const { client_id: clientId } = request.params;
    return json(viewClient(await changeOrganizationClient(app, requestOf(request), clientId, request.body)));
  },
});

export const deleteOrganizationClient = defineEndpoint({
  ...one,
  method: 'DELETE',
  secondFactor: 'not asked',
  id: 'removeOrganizationClient',
  summary: 'Deletes a client, and ends its sessions (clients:manage).',
  answers: { 204: { description: 'Deleted.' } },
  errors: [...oneErrors, 'ownersOnly'],
  async handler(app, request) {
    await removeOrganizationClient(app, requestOf(request), request.params.client_id);
    return noContent();
  },
});

export const postOrganizationClientSecret = defineEndpoint({
  ...one,
  method: 'POST',
  secondFactor: 'asked',
  path: '/organizations/{id}/clients/{client_id}/regenerate_secret',
  limit: 'organizations',
  id: 'regenerateOrganizationClientSecret',
  summary:
    'Gives a client a new secret; the old one ends at once (clients:manage, and whatever the roles of the client permit).',
  answers: ok('NewOauthClient', 'The client, with its secret.'),
  errors: [...oneErrors, ...accessGuardErrors, 'ownersOnly', 'clientSecretOfPublic', 'clientSecretOfKey'],
  async handler(app, request) {
    const { client_id: clientId } = request.params;
    return json(viewClientWithSecret(await renewOrganizationClientSecret(app, requestOf(request), clientId)));
  },
});
