import { PKCE_PREFIX } from '../codes/one-time.js';
import { type Verified, verifyLink } from '../codes/verify.js';
import { type ApiError, apiError, asApiError } from '../errors.js';
import type { ApiRequest, Reply } from '../http/types.js';
import { UNDO_TYPE } from '../notices/undo.js';
import { FRAGMENT_MARK, sortedForm, withFragment, withQuery } from '../redirects/locations.js';
import type { App } from '../runtime/app.js';
import { tokenParameters } from '../sessions/open.js';
import { clientOf, redirectOf } from './shared/client.js';
import { confirmPage } from './shared/confirm-page.js';
import { defineEndpoint } from './shared/define.js';
import { redirectAnswer, redirectQuery, text } from './shared/docs.js';
import { HALF_CONFIRMED } from './verify.js';

/**
 * Redeems the link of a mail and redirects to its target with tokens in the fragment, or an auth code in the query
 * (PKCE). A prefetch, or with AUTH_MAILER_CONFIRM_PAGE every request, as always for a link that undoes a change, gets a page with a button instead
 * (docs/decisions.md, Link scanners).
 */
export const getVerify = defineEndpoint({
  method: 'GET',
  changesOnGet: true,
  path: '/verify',
  trailingSlash: true,
  caller: 'none',
  limit: 'verify',
  isMailed: true,
  query: {
    token: text('The token of the link.'),
    token_hash: text('Newer name of token.'),
    type: text('Type of the link.'),
    ...redirectQuery,
  },
  id: 'followLink',
  tag: 'Sign-in',
  summary: 'Redeems the link of a mail and redirects to the application.',
  answers: {
    200: {
      description: 'A page with a button, for prefetches or by setting.',
      body: { type: 'string' },
      contentType: 'text/html',
    },
    303: redirectAnswer(
      'To the application: tokens in the fragment, a code (PKCE), or error, error_code and error_description.',
    ),
  },
  async handler(app, request) {
    const link = readLink(request.query);
    if (app.config.mailerConfirmPage || link.type === UNDO_TYPE || isPrefetch(request)) {
      return { status: 200, ...confirmPage(link, redirectOf(app, request), request.path) };
    }
    return redeemAndRedirect(app, request, link, redirectOf(app, request));
  },
});

export const postVerifyConfirm = defineEndpoint({
  method: 'POST',
  path: '/verify/confirm',
  caller: 'none',
  limit: 'verify',
  form: true,
  id: 'confirmLink',
  tag: 'Sign-in',
  summary: 'Redeems a link from the confirmation page.',
  description: 'Takes a form with token, type and redirect_to.',
  answers: { 303: redirectAnswer('As GET /verify.') },
  async handler(app, request) {
    const link = readLink(request.form);
    const { url } = app.redirects.choose([request.form.get('redirect_to')]);
    return redeemAndRedirect(app, request, link, url);
  },
});

/** The three parameters of a link. */
interface Link {
  readonly type: string;
  readonly linkToken: string;
}

/** @throws ApiError verifyTypeRequired, verifyTokenRequired: answered as JSON, since the redirect target is unknown */
function readLink(parameters: ReadonlyMap<string, string>): Link {
  const type = parameters.get('type') ?? '';
  const linkToken = parameters.get('token') ?? '';
  if (type === '') throw apiError('verifyTypeRequired');
  if (linkToken === '') throw apiError('verifyTokenRequired');
  return { type, linkToken };
}

/** Browsers and mail scanners announce a prefetch in one of these headers. */
function isPrefetch(request: ApiRequest): boolean {
  const hints = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => request.header(name) ?? '');
  return hints.some((hint) => /prefetch|prerender|preview/i.test(hint));
}

async function redeemAndRedirect(
  app: App,
  request: ApiRequest,
  { type, linkToken }: Link,
  target: string,
): Promise<Reply> {
  const isPkce = linkToken.startsWith(PKCE_PREFIX);
  try {
    const verified = await verifyLink(app, clientOf(request), { type, linkToken, password: '', isNavigation: true });
    return seeOther(successLocation(target, verified, isPkce));
  } catch (error) {
    const failure = asApiError(error);
    // After a server error the link is still valid: answer 5xx, which is logged and may be retried.
    if (failure.status >= 500) throw error;
    return { ...seeOther(linkErrorLocation(target, failure, isPkce)), refusal: failure };
  }
}

const seeOther = (location: string): Reply => ({
  status: 303,
  headers: { Location: location, 'Cache-Control': 'no-store' },
});

/** Tokens are appended as fragment, parameters sorted by name. */
function successLocation(target: string, verified: Verified, isPkce: boolean): string {
  switch (verified.outcome) {
    case 'signed_in':
      return `${target}#${sortedForm({ ...FRAGMENT_MARK, ...tokenParameters(verified.tokens), type: verified.type })}`;
    case 'auth_code':
      return withQuery(target, { code: verified.authCode });
    case 'half_confirmed': {
      const message = { message: HALF_CONFIRMED };
      return withFragment(isPkce ? withQuery(target, message) : target, message);
    }
  }
}

/** `error` per status; other statuses have none. */
const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
};

/** The error is in the fragment, with PKCE also in the query. */
function linkErrorLocation(target: string, failure: ApiError, isPkce: boolean): string {
  const error = oauthErrors[failure.status];
  const parameters = {
    ...(error === undefined ? {} : { error }),
    error_code: failure.errorCode,
    error_description: failure.message,
  };
  return withFragment(isPkce ? withQuery(target, parameters) : target, parameters);
}
