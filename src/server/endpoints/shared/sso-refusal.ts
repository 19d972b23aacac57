import { asApiError } from '../../errors.js';
import { type ApiRequest, type Reply, redirect } from '../../http/types.js';
import { withQuery } from '../../redirects/locations.js';
import type { App } from '../../runtime/app.js';
import { errorParameters, logFailure } from './provider-errors.js';

/**
 * A message of an identity provider is refused: the browser goes to SITE_URL. Where the message belongs gets no errors, since anyone
 * who posts one could choose that.
 */
export function refuseSso(app: App, request: ApiRequest, error: unknown): Reply {
  const failure = asApiError(error);
  logFailure(app, request, 'sso', failure);
  const location = withQuery(app.redirects.choose([]).url, errorParameters(failure));
  return { ...redirect(303, location), refusal: failure };
}
