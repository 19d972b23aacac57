import { json } from '../http/types.js';
import { registerItself } from '../oauth/registration.js';
import { assertRegistrationOn } from '../oauth/switches.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { registrationFields } from './shared/registration-fields.js';

/** RFC 7591 3 */
export const postOauthClientsRegister = defineEndpoint({
  method: 'POST',
  path: '/oauth/clients/register',
  caller: 'none',
  assertOn: assertRegistrationOn,
  limit: 'oauth_register',
  oauthErrors: true,
  body: fields(...registrationFields),
  id: 'registerOauthClient',
  tag: 'OAuth server',
  summary: 'Registers a client (RFC 7591).',
  answers: { 201: ok('RegisteredOauthClient', 'The client, with its secret and the token to manage it.')[200]! },
  errors: [
    'oauthServerDisabled',
    'oauthRegistrationDisabled',
    'registrationTokenMissing',
    'clientRedirectUriInvalid',
    'clientMetadataInvalid',
  ],
  handler: async (app, request) =>
    json(await registerItself(app, request.id, request.header('authorization'), request.body), 201),
});
