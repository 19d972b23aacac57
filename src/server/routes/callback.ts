import { type CallbackOutcome, finishExternalSignIn, type TakenFlow, takeFlow } from '../accounts/callback.js';
import type { App } from '../app.js';
import { asRefusal } from '../errors.js';
import { type ApiRequest, type Reply, redirect } from '../http/types.js';
import { readBrowserSecret } from './browser-cookie.js';
import { applicationOf, audienceOf, clientOf } from './client.js';
import { withFragment, withoutFragment, withQuery } from './locations.js';
import { errorLocation, errorParameters, logFailure } from './provider-errors.js';

/**
 * GET and POST /callback (service.md; reference/providers.md 2): the browser comes back from a provider; apple sends it
 * by POST. Whatever happens ends in a redirect; a state that is not ours or not good any more leads to SITE_URL, since
 * nobody knows where that flow was to end.
 */
export async function callback(app: App, request: ApiRequest): Promise<Reply> {
  const parameters = new Map([...request.query, ...request.form]);
  let flow: TakenFlow;
  let audience: string;
  try {
    audience = audienceOf(app, request);
    flow = await takeFlow(app, parameters.get('state') ?? '', readBrowserSecret(app, request));
  } catch (error) {
    const refusal = asRefusal(error);
    // Trouble of ours has used nothing up: the browser may load the page again.
    if (refusal.status >= 500) throw error;
    logFailure(app, request, null, refusal);
    return redirect(303, withQuery(app.redirects.choose([]).url, errorParameters(refusal)));
  }
  // Checked again: the list may have changed since the browser left (SEC-34).
  const target = applicationOf(app, app.redirects.choose([flow.row.redirect_to]).url);
  try {
    const outcome = await finishExternalSignIn(app, clientOf(request), flow, parameters, audience);
    return redirect(302, locationOf(target, outcome));
  } catch (error) {
    const refusal = asRefusal(error);
    logFailure(app, request, flow.row.provider, refusal);
    return redirect(302, errorLocation(target, errorParameters(refusal)));
  }
}

/** reference/providers.md 2.3; service.md asks for `provider`. */
function locationOf(target: string, outcome: CallbackOutcome): string {
  if ('refused' in outcome) {
    const { error, description } = outcome.refused;
    return errorLocation(target, { error: oneLine(error), error_description: oneLine(description) });
  }
  if ('authCode' in outcome) return withQuery(withoutFragment(target), { code: outcome.authCode });
  const { access_token, expires_at, expires_in, refresh_token, token_type } = outcome.tokens;
  const { provider, providerToken, providerRefreshToken } = outcome;
  return withFragment(target, {
    access_token,
    expires_at: String(expires_at),
    expires_in: String(expires_in),
    provider,
    ...(providerRefreshToken === null ? {} : { provider_refresh_token: providerRefreshToken }),
    ...(providerToken === null ? {} : { provider_token: providerToken }),
    refresh_token,
    token_type,
  });
}

/** Text of a provider's: without control characters, and short enough for an address. */
const oneLine = (text: string): string => text.replace(/[\0-\x1f\x7f]+/g, ' ').slice(0, 500);
