import { revokeToken } from '../oauth/revoke-token.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { presentedClient, readTokenParameters } from '../oauth/token-parameters.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { fields } from './shared/fields.js';

/** RFC 7009 */
export const postOauthRevoke = defineEndpoint({
  method: 'POST',
  path: '/oauth/revoke',
  caller: 'none',
  assertOn: assertOauthServerOn,
  limit: 'oauth_token',
  form: 'or json',
  oauthErrors: true,
  body: fields('token', 'token_type_hint', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type'),
  id: 'oauthRevoke',
  tag: 'OAuth server',
  summary: 'Revokes a token of a client.',
  description:
    'A refresh token ends with its session; an access token, with those of its session that were issued before it; a token that a client has for itself, alone. The answer is the same for a token that is unknown.',
  answers: { 200: { description: 'It is not valid any more, or was not before.' } },
  errors: ['oauthServerDisabled', 'clientNotProven', 'oauthTokenMissing'],
  async handler(app, request) {
    const parameters = readTokenParameters(request);
    const presented = presentedClient(request, parameters);
    await revokeToken(app, { client: clientOf(request), presented, parameters });
    return { status: 200 };
  },
});
