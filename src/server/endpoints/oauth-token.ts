import { assertOauthServerOn } from '../oauth/switches.js';
import { issueClientTokens, renderClientTokens } from '../oauth/token.js';
import { presentedClient, readTokenParameters } from '../oauth/token-parameters.js';
import { clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** RFC 6749 3.2 */
export const postOauthToken = defineEndpoint({
  method: 'POST',
  path: '/oauth/token',
  caller: 'none',
  assertOn: assertOauthServerOn,
  limit: 'oauth_token',
  form: 'or json',
  oauthErrors: true,
  body: fields(
    'grant_type',
    'code',
    'redirect_uri',
    'code_verifier',
    'refresh_token',
    'device_code',
    'client_id',
    'client_secret',
    'client_assertion',
    'client_assertion_type',
    'scope',
    'resource',
  ),
  id: 'oauthToken',
  tag: 'OAuth server',
  summary: 'Gives a client tokens for a code, a refresh token or itself.',
  description:
    'The body is a form, or JSON. A client proves who it is by HTTP Basic, in the body, or by a JWT of its key (RFC 7523). With a proof in the header DPoP the access token is bound to its key (RFC 9449).',
  answers: ok('OauthTokens', 'The tokens.'),
  errors: [
    'oauthServerDisabled',
    'clientNotProven',
    'clientProofMissing',
    'clientProofInvalid',
    'clientNonceMissing',
    'grantTypeMissing',
    'grantTypeUnsupported',
    'clientCodeMissing',
    'clientCodeInvalid',
    'clientCodeExpired',
    'clientCodeRedirectUriDiffers',
    'clientCodeVerifierWrong',
    'clientCodeKeyDiffers',
    'clientCodeUserBanned',
    'deviceCodeMissing',
    'deviceCodeInvalid',
    'devicePending',
    'devicePollsTooFast',
    'deviceDenied',
    'deviceCodeExpired',
    'resourceRefused',
    'scopeRefused',
    'machineRoleRefused',
    'machineScopeRefused',
    'machineResourceRefused',
    'machineOrganizationGone',
    'organizationNotServed',
    'oauthRefreshTokenMissing',
    'refreshTokenNotFound',
    'refreshTokenAlreadyUsed',
    'refreshKeyDiffers',
    'refreshUserBanned',
    'sessionExpired',
    'sessionInactive',
    'accessTokenTooLong',
    'overloaded',
  ],
  async handler(app, request) {
    const parameters = readTokenParameters(request);
    const presented = presentedClient(request, parameters);
    const tokens = await issueClientTokens(app, { client: clientOf(request), presented, parameters, request });
    return { status: 200, json: renderClientTokens(tokens) };
  },
});
