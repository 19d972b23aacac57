import type { LinkTarget } from '../../db/flow-states.js';
import { beginExternalSignIn } from '../accounts/authorize.js';
import { linkTargetOf, type UserCaller } from '../accounts/caller.js';
import type { App } from '../app.js';
import { Refusal, refuse } from '../errors.js';
import { type ApiRequest, json, type Reply, redirect } from '../http/types.js';
import { keepBrowserSecret } from './browser-cookie.js';
import { applicationOf, audienceOf, redirectOf } from './client.js';
import { errorLocation, errorParameters, logFailure } from './provider-errors.js';

/** GET /authorize: sends the browser to a provider (RFC 6749 4.1.1). */
export async function authorize(app: App, request: ApiRequest): Promise<Reply> {
  // The callback chooses; a proxy that sets the header sets it on both, and here the answer still says what is wrong.
  audienceOf(app, request);
  return leave(app, request, null);
}

/**
 * GET /user/identities/authorize: as /authorize, for an identity of the caller. With `skip_http_redirect` the address
 * comes as JSON to a script. Whoever opens that address must not be linked by it (SEC-86), so the flow ends where it was
 * begun: with PKCE at the client that has the verifier, else in the browser that kept the cookie of this answer.
 */
export async function authorizeLinking(app: App, request: ApiRequest<unknown, UserCaller>): Promise<Reply> {
  if (!app.config.securityManualLinkingEnabled) throw refuse('manualLinkingDisabled');
  const linkTo = linkTargetOf(request.caller);
  if (request.query.get('skip_http_redirect') !== 'true') return leave(app, request, linkTo);
  const redirectTo = redirectOf(app, request);
  if (request.query.get('code_challenge')) {
    return json({ url: await begin(app, request, { browserSecret: null, linkTo, redirectTo }) });
  }
  if (isFromOtherOrigin(request)) throw refuse('linkNeedsPkce');
  const { secret, headers } = keepBrowserSecret(app, request);
  return json({ url: await begin(app, request, { browserSecret: secret, linkTo, redirectTo }) }, 200, headers);
}

/**
 * A script of another origin gets no credentials (SEC-22), so that its browser drops our cookie and the flow could never
 * end. Other clients say nothing (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header).
 */
function isFromOtherOrigin(request: ApiRequest): boolean {
  const site = request.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** Redirects to the provider; to the application with an error, where the provider cannot be reached just now. */
async function leave(app: App, request: ApiRequest, linkTo: LinkTarget | null): Promise<Reply> {
  const { secret, headers } = keepBrowserSecret(app, request);
  const redirectTo = redirectOf(app, request);
  try {
    return redirect(302, await begin(app, request, { browserSecret: secret, linkTo, redirectTo }), headers);
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
  who: { browserSecret: string | null; linkTo: LinkTarget | null; redirectTo: string },
): Promise<string> => {
  const parameter = (name: string): string => request.query.get(name) ?? '';
  return beginExternalSignIn(app, {
    provider: parameter('provider'),
    scopes: parameter('scopes'),
    codeChallenge: parameter('code_challenge'),
    codeChallengeMethod: parameter('code_challenge_method'),
    inviteToken: parameter('invite_token'),
    parameters: request.query,
    ...who,
  });
};
