import { beginExternalSignIn } from '../accounts/authorize.js';
import type { UserCaller } from '../accounts/caller.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';
import { keepBrowserSecret } from './browser-cookie.js';
import { redirectOf } from './client.js';

/** GET /authorize (service.md; reference/providers.md 1): sends the browser to a provider. */
export async function authorize(app: App, request: ApiRequest): Promise<Reply> {
  const { secret, headers } = keepBrowserSecret(app, request);
  const url = await begin(app, request, { browserSecret: secret, linkingTargetId: null });
  return { status: 302, headers: { Location: url, ...headers } };
}

/**
 * GET /user/identities/authorize (reference/providers.md 5.1): as /authorize, for an identity of the caller. With
 * `skip_http_redirect` the address comes as JSON to a script, whose answer keeps no cookies: there the flow is tied to
 * the account that asked, and only that.
 */
export async function authorizeLinking(app: App, request: ApiRequest<unknown, UserCaller>): Promise<Reply> {
  if (!app.config.securityManualLinkingEnabled) throw refuse('manualLinkingDisabled');
  const linkingTargetId = request.caller.user.id;
  if (request.query.get('skip_http_redirect') === 'true') {
    return json({ url: await begin(app, request, { browserSecret: null, linkingTargetId }) });
  }
  const { secret, headers } = keepBrowserSecret(app, request);
  const url = await begin(app, request, { browserSecret: secret, linkingTargetId });
  return { status: 302, headers: { Location: url, ...headers } };
}

const begin = (
  app: App,
  request: ApiRequest,
  who: { browserSecret: string | null; linkingTargetId: string | null },
): Promise<string> => {
  const parameter = (name: string): string => request.query.get(name) ?? '';
  return beginExternalSignIn(app, {
    provider: parameter('provider'),
    scopes: parameter('scopes'),
    codeChallenge: parameter('code_challenge'),
    codeChallengeMethod: parameter('code_challenge_method'),
    inviteToken: parameter('invite_token'),
    parameters: request.query,
    redirectTo: redirectOf(app, request),
    ...who,
  });
};
