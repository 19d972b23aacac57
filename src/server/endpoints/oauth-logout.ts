import { redirect } from '../http/types.js';
import { logOutByClient } from '../oauth/logout.js';
import { assertOauthServerOn } from '../oauth/switches.js';
import { readTokenParameters } from '../oauth/token-parameters.js';
import { defineEndpoint } from './shared/define.js';
import { redirectAnswer, text } from './shared/docs.js';
import { fields } from './shared/fields.js';

/** OpenID Connect RP-Initiated Logout 1.0, 2 */
const all = {
  path: '/oauth/logout',
  caller: 'none',
  assertOn: assertOauthServerOn,
  limit: 'oauth_authorize',
  tag: 'OAuth server',
  errors: [
    'oauthServerDisabled',
    'logoutClientMissing',
    'logoutHintInvalid',
    'logoutHintMissing',
    'authorizeClientInvalid',
    'logoutRedirectInvalid',
  ],
} as const;
const sentTo = redirectAnswer('To the client, to a page that asks, or to one that says that it is done.');

export const getOauthLogout = defineEndpoint({
  ...all,
  method: 'GET',
  changesOnGet: true,
  query: {
    id_token_hint: text('An ID token of the session, also an expired one.'),
    client_id: text('Id of the client; needed without a hint.'),
    post_logout_redirect_uri: text('Where to send the user afterwards: a registered URI.'),
    state: text('Comes back in the answer.'),
  },
  id: 'oauthLogout',
  summary: 'A client signs a user out: ends its session, and sends the browser back.',
  answers: { 302: sentTo },
  async handler(app, { id, query }) {
    const parameters: ReadonlyMap<string, string> = query;
    return redirect(302, await logOutByClient(app, id, { get: (name) => parameters.get(name) || undefined }));
  },
});

export const postOauthLogout = defineEndpoint({
  ...all,
  method: 'POST',
  form: 'or json',
  body: fields('id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'),
  id: 'oauthLogoutByForm',
  summary: 'The same with a form, for long ID tokens.',
  answers: { 303: sentTo },
  handler: async (app, request) => redirect(303, await logOutByClient(app, request.id, readTokenParameters(request))),
});
