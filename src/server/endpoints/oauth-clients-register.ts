import { json } from '../http/types.js';
import { viewClientWithSecret } from '../oauth/client-view.js';
import { registerClient } from '../oauth/clients.js';
import { assertRegistrationOn } from '../oauth/switches.js';
import { NIL_UUID } from '../uuid.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** Nobody has signed in. */
const ANYONE = { id: NIL_UUID, email: null, phone: null };

/** RFC 7591 3 */
export const postOauthClientsRegister = defineEndpoint({
  method: 'POST',
  path: '/oauth/clients/register',
  caller: 'none',
  assertOn: assertRegistrationOn,
  limit: 'oauth_register',
  oauthErrors: true,
  body: fields(
    'redirect_uris',
    'client_type',
    'token_endpoint_auth_method',
    'grant_types',
    'client_name',
    'client_uri',
    'logo_uri',
    'scope',
  ),
  id: 'registerOauthClient',
  tag: 'OAuth server',
  summary: 'Registers a client (RFC 7591).',
  answers: { 201: ok('NewOauthClient', 'The client, with its secret.')[200]! },
  errors: ['oauthServerDisabled', 'oauthRegistrationDisabled', 'clientRedirectUriInvalid', 'clientMetadataInvalid'],
  async handler(app, { id, body }) {
    const made = await registerClient(app, { requestId: id, actor: ANYONE }, body, 'dynamic');
    return json(viewClientWithSecret(made), 201);
  },
});
