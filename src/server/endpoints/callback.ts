import { asApiError } from '../errors.js';
import {
  type CallbackOutcome,
  type ClaimedFlow,
  claimFlow,
  finishExternalSignIn,
  type UnclaimedFlow,
} from '../external/callback.js';
import { type ApiRequest, type Reply, redirect } from '../http/types.js';
import { withFragment, withoutFragment, withQuery } from '../redirects/locations.js';
import type { App } from '../runtime/app.js';
import { tokenParameters } from '../sessions/open.js';
import { readBrowserSecret } from './shared/browser-cookie.js';
import { applicationOf, audienceOf, clientOf } from './shared/client.js';
import { defineEndpoint } from './shared/define.js';
import { redirectAnswer, text } from './shared/docs.js';
import { returnPath } from './shared/page-return.js';
import { errorLocation, errorParameters, logFailure } from './shared/provider-errors.js';
import { dryRunPage } from './shared/trace-pages.js';

const query = {
  state: text('The state that /authorize sent.'),
  code: text("The provider's code."),
  error: text("The provider's error."),
  error_description: text('Description of the error.'),
};
const answers = {
  200: { description: 'The end of a dry run that an operator follows: a page.' },
  302: redirectAnswer(
    'To the application: tokens in the fragment, a code (PKCE), or error, error_code and error_description.',
  ),
  303: redirectAnswer('Invalid state: to SITE_URL, or to the hosted pages that the browser came from, with the error.'),
};

export const getCallback = defineEndpoint({
  method: 'GET',
  changesOnGet: true,
  path: '/callback',
  caller: 'none',
  query,
  id: 'callback',
  tag: 'Providers',
  summary: 'Handles the redirect back from a provider.',
  answers,
  handler: callback,
});

export const postCallback = defineEndpoint({
  method: 'POST',
  path: '/callback',
  caller: 'none',
  form: true,
  query,
  id: 'callbackByForm',
  tag: 'Providers',
  summary: 'Handles the same as a form (response_mode=form_post).',
  answers,
  handler: callback,
});

/**
 * Handles a callback; Apple uses POST. The answer is always a redirect, with an unknown or expired state to SITE_URL,
 * since the target of that flow is unknown, unless this browser came from the hosted pages.
 */
async function callback(app: App, request: ApiRequest): Promise<Reply> {
  const parameters = new Map([...request.query, ...request.form]);
  let audience: string;
  try {
    audience = audienceOf(app, request);
  } catch (error) {
    return refuse(app, request, { failure: asApiError(error), pageFlowId: null });
  }
  const flow = await claimFlow(app, parameters, readBrowserSecret(app, request));
  if ('failure' in flow) return refuse(app, request, flow);
  // Checked again: URI_ALLOW_LIST may have changed since /authorize (SEC-34).
  const { page_flow_id: pageFlowId, redirect_to: redirectTo } = flow.row;
  const target =
    pageFlowId === null ? applicationOf(app, app.redirects.choose([redirectTo]).url) : returnPath(pageFlowId);
  try {
    const outcome = await finishExternalSignIn(app, clientOf(request), flow, parameters, audience);
    await endTrace(flow, outcome, request.id);
    if (flow.trace?.isDry || 'isDryRun' in outcome) return dryRunPage(outcome);
    return redirect(302, buildLocation(target, outcome));
  } catch (error) {
    const failure = asApiError(error);
    logFailure(app, request, flow.row.provider, failure);
    await flow.trace?.fail(failure, request.id);
    if (flow.trace?.isDry) return { ...dryRunPage(failure), refusal: failure };
    return { ...redirect(302, errorLocation(target, errorParameters(failure))), refusal: failure };
  }
}

/** A flow of the hosted pages goes on there; of any other the target is unknown. */
function refuse(app: App, request: ApiRequest, { failure, pageFlowId }: UnclaimedFlow): Reply {
  logFailure(app, request, null, failure);
  const parameters = errorParameters(failure);
  const answer =
    pageFlowId === null
      ? redirect(303, withQuery(app.redirects.choose([]).url, parameters))
      : redirect(303, errorLocation(returnPath(pageFlowId), parameters));
  return { ...answer, refusal: failure };
}

async function endTrace({ trace, row }: ClaimedFlow, outcome: CallbackOutcome, requestId: string): Promise<void> {
  if (trace === null) return;
  if ('refused' in outcome) return trace.end('denied', outcome.refused, requestId);
  if ('isDryRun' in outcome) return trace.end('dry_run', {}, requestId);
  const detail = { redirect_to: withoutFragment(row.redirect_to) };
  if ('authCode' in outcome) return trace.end('code', detail, requestId);
  return trace.end('session', { ...detail, user_id: outcome.tokens.user['id'] }, requestId);
}

/** Where the browser goes on. */
function buildLocation(target: string, outcome: Exclude<CallbackOutcome, { isDryRun: true }>): string {
  if ('refused' in outcome) {
    const { error, description } = outcome.refused;
    return errorLocation(target, { error: toSafeText(error), error_description: toSafeText(description) });
  }
  if ('authCode' in outcome) return withQuery(withoutFragment(target), { code: outcome.authCode });
  const { tokens, provider, providerToken, providerRefreshToken } = outcome;
  return withFragment(target, {
    ...tokenParameters(tokens),
    provider,
    ...(providerRefreshToken === null ? {} : { provider_refresh_token: providerRefreshToken }),
    ...(providerToken === null ? {} : { provider_token: providerToken }),
  });
}

/** Removes control characters from a provider's text, and shortens it for a URL. */
const toSafeText = (text: string): string => text.replace(/[\0-\x1f\x7f]+/g, ' ').slice(0, 500);
