import { json } from '../http/types.js';
import { pushAuthorization } from '../oauth/pushed-request.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { presentedClient, readTokenParameters } from '../oauth/token-parameters.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** RFC 9126 2 */
export const postOauthPar = defineEndpoint({
  method: 'POST',
  path: '/oauth/par',
  caller: 'none',
  assertOn: assertOauthServerOn,
  limit: 'oauth_authorize',
  form: 'or json',
  oauthErrors: true,
  body: fields(
    ...(['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'] as const),
    ...(['redirect_uri', 'response_type', 'response_mode', 'scope', 'state'] as const),
    ...(['code_challenge', 'code_challenge_method', 'nonce', 'resource', 'prompt', 'max_age', 'login_hint'] as const),
    ...(['dpop_jkt', 'ui_locales', 'organization', 'request', 'request_uri', 'registration'] as const),
  ),
  id: 'oauthPar',
  tag: 'OAuth server',
  summary: 'Takes the parameters of /oauth/authorize from the client itself (RFC 9126).',
  description:
    'The body is a form, or JSON. The browser then brings client_id and request_uri only, once, and within a minute.',
  answers: { 201: ok('PushedRequest', 'The handle of the request.')[200]! },
  errors: [
    'oauthServerDisabled',
    'clientNotProven',
    'authorizationRequestInvalid',
    'clientProofInvalid',
    'clientNonceMissing',
    'pushedKeyDiffers',
  ],
  async handler(app, request) {
    const parameters = readTokenParameters(request);
    const presented = presentedClient(request, parameters);
    return json(await pushAuthorization(app, { presented, parameters, request }), 201);
  },
});
