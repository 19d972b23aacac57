import { beginExternalSignIn } from '../accounts/authorize.js';
import type { UserCaller } from '../accounts/caller.js';
import type { App } from '../app.js';
import { Refusal, refuse } from '../errors.js';
import { type ApiRequest, json, type Reply, redirect } from '../http/types.js';
import { keepBrowserSecret } from './browser-cookie.js';
import { applicationOf, redirectOf } from './client.js';
import { errorLocation, errorParameters, logFailure } from './provider-errors.js';

/** GET /authorize (service.md; reference/providers.md 1): sends the browser to a provider. */
export async function authorize(app: App, request: ApiRequest): Promise<Reply> {
  return leave(app, request, null);
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
    return json({ url: await begin(app, request, { browserSecret: null, linkingTargetId }, redirectOf(app, request)) });
  }
  return leave(app, request, linkingTargetId);
}

/** Redirects to the provider; to the application with an error, where the provider cannot be reached just now. */
async function leave(app: App, request: ApiRequest, linkingTargetId: string | null): Promise<Reply> {
  const { secret, headers } = keepBrowserSecret(app, request);
  const redirectTo = redirectOf(app, request);
  try {
    const url = await begin(app, request, { browserSecret: secret, linkingTargetId }, redirectTo);
    return redirect(302, url, headers);
  } catch (error) {
    if (!(error instanceof Refusal) || !outages.has(error.refusal)) throw error;
    logFailure(app, request, request.query.get('provider') ?? null, error);
    return redirect(302, errorLocation(applicationOf(app, redirectTo), errorParameters(error)));
  }
}

/** Trouble of the provider's, which a person at a browser cannot mend and should not read as JSON. */
const outages: ReadonlySet<string> = new Set(['providerUnavailable', 'requestTokenFailed']);

const begin = (
  app: App,
  request: ApiRequest,
  who: { browserSecret: string | null; linkingTargetId: string | null },
  redirectTo: string,
): Promise<string> => {
  const parameter = (name: string): string => request.query.get(name) ?? '';
  return beginExternalSignIn(app, {
    provider: parameter('provider'),
    scopes: parameter('scopes'),
    codeChallenge: parameter('code_challenge'),
    codeChallengeMethod: parameter('code_challenge_method'),
    inviteToken: parameter('invite_token'),
    parameters: request.query,
    redirectTo,
    ...who,
  });
};
