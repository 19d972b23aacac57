import type { LinkTarget } from '../../db/flow-states.js';
import { HOSTED_PROVIDER } from '../admin/custom-providers/fields.js';
import { readPkce } from '../codes/pkce.js';
import { ApiError, apiError, asApiError } from '../errors.js';
import { type AuthorizeRequest, beginExternalSignIn } from '../external/authorize.js';
import { type AttemptTrace, announceTrace, beginTrace, makeTraceSecret } from '../external/tracing/attempt-trace.js';
import { type ApiRequest, json, type Reply, redirect } from '../http/types.js';
import { beginPageFlow } from '../pages/flow.js';
import { OTHER_ACCOUNT } from '../pages/sign-in-links.js';
import type { App } from '../runtime/app.js';
import { isCompanyProvider, readCompanyNames } from '../saml/company-name.js';
import { assertAssurance } from '../sessions/assurance.js';
import { requireLinkTarget } from '../sessions/caller.js';
import { keepBrowserSecret } from './shared/browser-cookie.js';
import { applicationOf, audienceOf, redirectOf } from './shared/client.js';
import { beginCompanyTest } from './shared/company-test.js';
import { defineEndpoint } from './shared/define.js';
import { newLinkErrors, ok, pkceErrors, redirectAnswer, redirectQuery, text } from './shared/docs.js';
import { errorLocation, errorParameters, logFailure } from './shared/provider-errors.js';
import { announcementPage, dryRunPage } from './shared/trace-pages.js';

const query = {
  provider: { ...text('Name of a provider.'), required: true },
  scopes: text('More scopes to request from the provider.'),
  ...redirectQuery,
  code_challenge: text('PKCE (RFC 7636): the callback then returns a code.'),
  code_challenge_method: text('plain or s256.'),
} as const;
const toProvider = redirectAnswer('To the provider; to the application with an error if the provider is unavailable.');

/** RFC 6749 4.1.1 */
export const getAuthorize = defineEndpoint({
  method: 'GET',
  changesOnGet: true,
  path: '/authorize',
  caller: 'none',
  limit: 'authorize',
  query: {
    ...query,
    invite_token: text('Token of an invitation to accept with this identity.'),
    latchkey_trace: text(
      'Of an operator who follows this attempt in the console; provider may then be sso: and the id of a company.',
    ),
  },
  id: 'authorize',
  tag: 'Providers',
  summary: 'Redirects the browser to a provider.',
  answers: { 302: toProvider, 200: { description: 'Before an attempt that an operator follows: a page.' } },
  errors: [
    'unsupportedProvider',
    'providerNotSupported',
    'invitedUserNotFound',
    'traceNotUsable',
    'samlDisabled',
    'ssoProviderNotFound',
    ...pkceErrors,
  ],
  async handler(app, request) {
    // The callback reads the audience. It is also checked here, where the error can be answered directly.
    audienceOf(app, request);
    if (app.pages !== null && request.query.get('provider')?.toLowerCase() === HOSTED_PROVIDER) {
      return redirectToPages(app, request);
    }
    const ticket = request.query.get('latchkey_trace');
    if (ticket === undefined) return redirectToProvider(app, request, null, null);
    const provider = request.query.get('provider') ?? '';
    const announced = await announceTrace(app, ticket, provider);
    if (announced !== null) {
      const names = await readCompanyNames(app, [provider]);
      return announcementPage(request.query, announced, names[provider] ?? provider);
    }
    const trace = await beginTrace(app, ticket, provider);
    try {
      const reply = isCompanyProvider(trace.provider)
        ? await beginCompanyTest(app, request, trace)
        : await redirectToProvider(app, request, null, trace);
      await trace.settle();
      return reply;
    } catch (error) {
      await trace.fail(asApiError(error), request.id);
      throw error;
    }
  },
});

/**
 * As /authorize, for an identity of the caller. With `skip_http_redirect` the URL is returned as JSON. Another person
 * who opens that URL must not link their identity (SEC-86). So the flow must end where it started: with PKCE at the
 * client that has the verifier, else in the browser that has the cookie of this response.
 */
export const getUserIdentitiesAuthorize = defineEndpoint({
  method: 'GET',
  changesOnGet: true,
  path: '/user/identities/authorize',
  caller: 'user',
  secondFactor: 'asked',
  limit: 'authorize',
  query: {
    ...query,
    skip_http_redirect: { enum: ['true', 'false'], description: 'true: returns the URL as JSON.' },
  },
  id: 'linkIdentity',
  tag: 'Providers',
  summary: 'Redirects the browser to a provider, to add an identity to the account.',
  answers: { ...ok('Url', 'The URL to open in the browser.'), 302: toProvider },
  errors: [...newLinkErrors, 'linkNeedsPkce', 'unsupportedProvider', 'providerUnavailable', ...pkceErrors],
  async handler(app, request) {
    if (!app.config.securityManualLinkingEnabled) throw apiError('manualLinkingDisabled');
    const linkTo = requireLinkTarget(request.caller);
    await assertAssurance(app, request.caller, 'aalForAccess');
    if (request.query.get('skip_http_redirect') !== 'true') return redirectToProvider(app, request, linkTo, null);
    const redirectTo = redirectOf(app, request);
    if (request.query.get('code_challenge')) {
      return json({ url: await startFlow(app, request, { browserSecret: null, linkTo, redirectTo, trace: null }) });
    }
    if (isFromOtherOrigin(request)) throw apiError('linkNeedsPkce');
    const { secret, headers } = keepBrowserSecret(app, request);
    return json(
      { url: await startFlow(app, request, { browserSecret: secret, linkTo, redirectTo, trace: null }) },
      200,
      headers,
    );
  },
});

/**
 * Scripts of other origins get no credentials (SEC-22): the browser would drop the cookie, and the flow could not end.
 * Clients other than browsers omit the header (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header).
 */
function isFromOtherOrigin(request: ApiRequest): boolean {
  const site = request.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** Our own pages, under a name that clients send like that of any provider. */
async function redirectToPages(app: App, request: ApiRequest): Promise<Reply> {
  const parameter = (name: string): string => request.query.get(name) ?? '';
  const { id } = await beginPageFlow(app, {
    kind: 'authorize',
    redirectTo: redirectOf(app, request),
    pkce: readPkce(parameter('code_challenge'), parameter('code_challenge_method'), 'oauth'),
    languages: parameter('ui_locales'),
    address: parameter('login_hint'),
  });
  // Relative, since the server may be reached under a path.
  const page = parameter('screen_hint') === 'signup' ? 'sign-up' : 'sign-in';
  const isAsked = /(?:^|\s)login(?:\s|$)/.test(parameter('prompt'));
  return redirect(302, `ui/${page}?flow=${id}${isAsked ? `&account=${OTHER_ACCOUNT}` : ''}`);
}

/** Redirects to the provider; to the application with an error if the provider is unavailable. */
async function redirectToProvider(
  app: App,
  request: ApiRequest,
  linkTo: LinkTarget | null,
  trace: AttemptTrace | null,
): Promise<Reply> {
  const given = trace === null ? undefined : makeTraceSecret(app, trace.id);
  const { secret, headers } = keepBrowserSecret(app, request, given);
  const redirectTo = redirectOf(app, request);
  try {
    return redirect(302, await startFlow(app, request, { browserSecret: secret, linkTo, redirectTo, trace }), headers);
  } catch (error) {
    if (!(error instanceof ApiError) || !outages.has(error.entry)) throw error;
    logFailure(app, request, request.query.get('provider') ?? null, error);
    await trace?.fail(error, request.id);
    if (trace?.isDry) return { ...dryRunPage(error), refusal: error };
    const location = errorLocation(applicationOf(app, redirectTo), errorParameters(error));
    return { ...redirect(302, location), refusal: error };
  }
}

/** Temporary errors of a provider, which should not be shown as JSON in a browser. */
const outages: ReadonlySet<string> = new Set(['providerUnavailable', 'requestTokenFailed']);

const startFlow = (
  app: App,
  request: ApiRequest,
  origin: Pick<AuthorizeRequest, 'browserSecret' | 'linkTo' | 'redirectTo' | 'trace'>,
): Promise<string> => {
  const parameter = (name: string): string => request.query.get(name) ?? '';
  return beginExternalSignIn(app, {
    provider: parameter('provider'),
    scopes: parameter('scopes'),
    codeChallenge: parameter('code_challenge'),
    codeChallengeMethod: parameter('code_challenge_method'),
    inviteToken: parameter('invite_token'),
    parameters: request.query,
    pageFlowId: null,
    ...origin,
  });
};
