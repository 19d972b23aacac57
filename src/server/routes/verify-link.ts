import { PKCE_PREFIX } from '../accounts/one-time.js';
import { type Verified, verifyLink } from '../accounts/verify.js';
import type { App } from '../app.js';
import { asRefusal, type Refusal, refuse } from '../errors.js';
import type { ApiRequest, Reply } from '../http/types.js';
import { clientOf, redirectOf } from './client.js';
import { confirmPage } from './confirm-page.js';
import { sortedForm, withFragment, withQuery } from './locations.js';
import { HALF_CONFIRMED } from './verify.js';

/** The three parameters of a link. */
interface Link {
  readonly type: string;
  readonly linkToken: string;
}

/**
 * GET /verify (service.md): a person followed a link. Signs in and redirects to the target with the tokens in the
 * fragment, or an auth code in the query for PKCE. Machines that only look do not use the link up: a prefetch, or with
 * AUTH_MAILER_CONFIRM_PAGE anybody, gets a page whose button does.
 */
export async function followLink(app: App, request: ApiRequest): Promise<Reply> {
  const link = readLink(request.query);
  if (app.config.mailerConfirmPage || isPrefetch(request)) {
    return { status: 200, ...confirmPage(link, redirectOf(app, request), request.path) };
  }
  return redeemLink(app, request, link, redirectOf(app, request));
}

/** POST /verify/confirm: the button of the confirmation page. */
export async function confirmLink(app: App, request: ApiRequest): Promise<Reply> {
  const link = readLink(request.form);
  const { url } = app.redirects.choose([request.form.get('redirect_to')]);
  return redeemLink(app, request, link, url);
}

/** @throws Refusal verifyTypeRequired, verifyTokenRequired: answered as JSON, since nobody knows where to redirect */
function readLink(parameters: ReadonlyMap<string, string>): Link {
  const type = parameters.get('type') ?? '';
  const linkToken = parameters.get('token') ?? '';
  if (type === '') throw refuse('verifyTypeRequired');
  if (linkToken === '') throw refuse('verifyTokenRequired');
  return { type, linkToken };
}

/** Browsers and mail scanners that fetch ahead say so in one of these. */
function isPrefetch(request: ApiRequest): boolean {
  const hints = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => request.header(name) ?? '');
  return hints.some((hint) => /prefetch|prerender|preview/i.test(hint));
}

async function redeemLink(app: App, request: ApiRequest, { type, linkToken }: Link, target: string): Promise<Reply> {
  const isPkce = linkToken.startsWith(PKCE_PREFIX);
  try {
    const verified = await verifyLink(app, clientOf(request), { type, linkToken, password: '', isNavigation: true });
    return seeOther(successLocation(target, verified, isPkce));
  } catch (error) {
    const refusal = asRefusal(error);
    // Trouble of ours is worth a second click: the link is still good, so say so in a way that is logged and retried.
    if (refusal.status >= 500) throw error;
    return seeOther(errorLocation(target, refusal, isPkce));
  }
}

const seeOther = (location: string): Reply => ({
  status: 303,
  headers: { Location: location, 'Cache-Control': 'no-store' },
});

/** delivery.md 1.8: the fragment is appended as it is, parameters sorted by name. */
export function successLocation(target: string, verified: Verified, isPkce: boolean): string {
  switch (verified.outcome) {
    case 'signed_in': {
      const { access_token, expires_at, expires_in, refresh_token, token_type } = verified.tokens;
      return `${target}#${sortedForm({
        access_token,
        expires_at: String(expires_at),
        expires_in: String(expires_in),
        refresh_token,
        token_type,
        type: verified.type,
      })}`;
    }
    case 'auth_code':
      return withQuery(target, { code: verified.authCode });
    case 'half_confirmed': {
      const message = { message: HALF_CONFIRMED };
      return withFragment(isPkce ? withQuery(target, message) : target, message);
    }
  }
}

/** What `error` says of a status; others have none (delivery.md 1.8). */
const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
};

/** The refusal in the fragment, and for PKCE in the query too. */
export function errorLocation(target: string, refusal: Refusal, isPkce: boolean): string {
  const error = oauthErrors[refusal.status];
  const parameters = {
    ...(error === undefined ? {} : { error }),
    error_code: refusal.errorCode,
    error_description: refusal.message,
  };
  return withFragment(isPkce ? withQuery(target, parameters) : target, parameters);
}
