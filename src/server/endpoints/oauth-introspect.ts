import { json } from '../http/types.js';
import { introspectToken } from '../oauth/introspect-token.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { presentedClient, readTokenParameters } from '../oauth/token-parameters.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** RFC 7662 */
export const postOauthIntrospect = defineEndpoint({
  method: 'POST',
  path: '/oauth/introspect',
  caller: 'none',
  assertOn: assertOauthServerOn,
  limit: 'oauth_introspect',
  form: 'or json',
  oauthErrors: true,
  body: fields('token', 'token_type_hint', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type'),
  id: 'oauthIntrospect',
  tag: 'OAuth server',
  summary: 'Says whether a token is active, to a client with a secret that it concerns.',
  answers: ok('Introspection', 'What the client may know of the token.'),
  errors: ['oauthServerDisabled', 'clientNotProven', 'oauthTokenMissing'],
  async handler(app, request) {
    const parameters = readTokenParameters(request);
    return json(await introspectToken(app, { presented: presentedClient(request, parameters), parameters }));
  },
});
