import { redirect } from '../http/types.js';
import { beginAuthorization } from '../oauth/authorize-request.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { defineEndpoint } from './shared/define.js';
import { redirectAnswer, text } from './shared/docs.js';

/** RFC 6749 4.1.1 */
export const getOauthAuthorize = defineEndpoint({
  method: 'GET',
  changesOnGet: true,
  path: '/oauth/authorize',
  caller: 'none',
  assertOn: assertOauthServerOn,
  limit: 'oauth_authorize',
  query: {
    client_id: { ...text('Id of the client, or the address of its metadata document.'), required: true },
    redirect_uri: text('One of the registered URIs; of a loopback address the port may differ.'),
    request_uri: text('In place of all others: the handle of a request that the client has pushed (RFC 9126).'),
    response_type: text('code.'),
    scope: text('Scopes, separated by spaces.'),
    state: text('Comes back in the answer.'),
    code_challenge: text('PKCE (RFC 7636), which is mandatory.'),
    code_challenge_method: text('S256 or plain.'),
    nonce: text('Comes back in the ID token.'),
    resource: text('What the token is for (RFC 8707); may be repeated.'),
    prompt: text('none, login, consent, select_account or select_organization.'),
    max_age: text('Maximum age of the sign-in in seconds.'),
    login_hint: text('Address of the user, for the sign-in page.'),
    organization: text('Id or slug of the organization that it is for, with the scope organization.'),
    dpop_jkt: text('Thumbprint of the key that the code is bound to (RFC 9449 10).'),
  },
  id: 'oauthAuthorize',
  tag: 'OAuth server',
  summary: 'Begins an authorization: redirects the browser to the page that asks the user.',
  answers: { 302: redirectAnswer('To that page; to the client with an error if the request is not valid.') },
  errors: [
    'oauthServerDisabled',
    'authorizeParameterMissing',
    'authorizeClientInvalid',
    'pairwiseUnavailable',
    'authorizeRedirectUriInvalid',
    'authorizeRequestRefused',
    'overloaded',
    'authorizeRequestUriInvalid',
  ],
  async handler(app, request) {
    const parameters: ReadonlyMap<string, string> = request.query;
    const get = (name: string) => parameters.get(name);
    return redirect(302, await beginAuthorization(app, request.id, { get, all: (name) => request.allValues(name) }));
  },
});
