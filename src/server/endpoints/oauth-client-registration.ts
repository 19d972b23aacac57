import { json, noContent } from '../http/types.js';
import { changeOwnRegistration, endOwnRegistration, readOwnRegistration } from '../oauth/registration.js';
import { assertRegistrationOn } from '../oauth/switches.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { registrationFields } from './shared/registration-fields.js';

/** RFC 7592 2. The token of the registration is the bearer. */
const one = {
  path: '/oauth/clients/register/{client_id}',
  caller: 'none',
  assertOn: assertRegistrationOn,
  limit: 'oauth_register',
  oauthErrors: true,
  tag: 'OAuth server',
} as const;
const answers = ok('RegisteredOauthClient', 'The client, without its secret.');
const errors = ['oauthServerDisabled', 'oauthRegistrationDisabled', 'registrationTokenMissing'] as const;

export const getOauthRegistration = defineEndpoint({
  ...one,
  method: 'GET',
  id: 'readOauthRegistration',
  summary: 'Returns to a client what it has registered (RFC 7592).',
  answers,
  errors,
  handler: async (app, request) =>
    json(await readOwnRegistration(app, request.header('authorization'), request.params.client_id)),
});

export const putOauthRegistration = defineEndpoint({
  ...one,
  method: 'PUT',
  body: fields('client_id', 'client_secret', ...registrationFields),
  id: 'changeOauthRegistration',
  summary: 'Replaces what a client has registered (RFC 7592).',
  answers,
  errors: [...errors, 'registrationMismatch', 'clientRedirectUriInvalid', 'clientMetadataInvalid', 'clientNotFound'],
  async handler(app, request) {
    const authorization = request.header('authorization');
    return json(await changeOwnRegistration(app, request.id, authorization, request.params.client_id, request.body));
  },
});

export const deleteOauthRegistration = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'deleteOauthRegistration',
  summary: 'Ends a client that has registered itself (RFC 7592).',
  answers: { 204: { description: 'Deleted.' } },
  errors: [...errors, 'clientNotFound'],
  async handler(app, request) {
    await endOwnRegistration(app, request.id, request.header('authorization'), request.params.client_id);
    return noContent();
  },
});
