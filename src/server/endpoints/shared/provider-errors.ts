/** Reports failed sign-ins at providers, in the redirect to the application and in the log. */

import type { ApiError } from '../../errors.js';
import { joinCauses } from '../../external/join-causes.js';
import type { ApiRequest } from '../../http/types.js';
import { withFragment, withQuery } from '../../redirects/locations.js';
import type { App } from '../../runtime/app.js';
import { logSparsely } from '../../telemetry/sparse-log.js';

/** Parameters are in query and fragment: applications read one or the other. */
export const errorLocation = (target: string, parameters: Readonly<Record<string, string>>): string =>
  withFragment(withQuery(target, parameters), parameters);

const deniedCodes = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/** `error` per status (RFC 6749 4.1.2.1); else `server_error`. */
const oauthErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  503: 'temporarily_unavailable',
};

/** Parameters of the redirect for an API error. */
export function errorParameters({ entry, status, errorCode, message }: ApiError): Record<string, string> {
  const error = deniedCodes.has(errorCode) ? 'access_denied' : (oauthErrors[status] ?? 'server_error');
  // In supabase/auth this error has no code.
  const hasCode = entry !== 'providerSubjectMissing';
  return { error, ...(hasCode && { error_code: errorCode }), error_description: message };
}

/** Logs a failure, which is only a redirect in the access log. */
export function logFailure(app: App, request: ApiRequest, provider: string | null, failure: ApiError): void {
  const fields = {
    component: 'providers',
    request_id: request.id,
    provider,
    refusal: failure.entry,
    error_code: failure.errorCode,
    ...(failure.cause instanceof Error && { reason: joinCauses(failure.cause) }),
  };
  const message = `A sign-in at a provider failed: ${failure.message}`;
  if (failure.status >= 500) logSparsely(app.log, 'error', `sign-in ${failure.entry}`, fields, message);
  else app.log.info(fields, message);
}
