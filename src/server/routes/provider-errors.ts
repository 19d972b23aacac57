/** How a sign-in at a provider that failed is told: in the redirect to the application, and to the log. */
import type { App } from '../app.js';
import type { Refusal } from '../errors.js';
import type { ApiRequest } from '../http/types.js';
import { withFragment, withQuery } from './locations.js';

/** In the query and in the fragment: some applications read the one, some the other. */
export const errorLocation = (target: string, parameters: Readonly<Record<string, string>>): string =>
  withFragment(withQuery(target, parameters), parameters);

const deniedCodes = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/** What `error` says of a status (RFC 6749 4.1.2.1); anything else is `server_error`. */
const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  503: 'temporarily_unavailable',
};

/** Parameters of the redirect that tells of a refusal. */
export function errorParameters({ refusal, status, errorCode, message }: Refusal): Record<string, string> {
  const error = deniedCodes.has(errorCode) ? 'access_denied' : (oauthErrors[status] ?? 'server_error');
  // The compatible server gives this one no code.
  const hasCode = refusal !== 'providerSubjectMissing';
  return { error, ...(hasCode && { error_code: errorCode }), error_description: message };
}

/** The redirect hides the failure from the access log, and the user cannot say more than "it did not work". */
export function logFailure(app: App, request: ApiRequest, provider: string | null, refusal: Refusal): void {
  const fields = {
    component: 'providers',
    request_id: request.id,
    provider,
    refusal: refusal.refusal,
    error_code: refusal.errorCode,
    ...(refusal.cause instanceof Error && { reason: reasonOf(refusal.cause) }),
  };
  const message = `A sign-in at a provider failed: ${refusal.message}`;
  if (refusal.status >= 500) app.log.error(fields, message);
  else app.log.info(fields, message);
}

/** The texts of a chain of causes; ours name no token, code or secret. */
function reasonOf(cause: Error): string {
  const inner = cause.cause instanceof Error ? `: ${reasonOf(cause.cause)}` : '';
  return `${cause.message}${inner}`.slice(0, 1000);
}
