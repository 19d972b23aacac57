import { asApiError } from '../../errors.js';
import { type ApiRequest, type Reply, redirect } from '../../http/types.js';
import { externalAddress, withQuery } from '../../redirects/locations.js';
import type { App } from '../../runtime/app.js';
import { returnPath } from './page-return.js';
import { errorParameters, logFailure } from './provider-errors.js';

/**
 * A message of an identity provider is refused: the browser goes to SITE_URL. Where the message belongs gets no errors, since anyone
 * who posts one could choose that; only a sign-in of the hosted pages goes on there.
 * @param pageFlowId its flow; null: it began elsewhere
 */
export function refuseSso(app: App, request: ApiRequest, error: unknown, pageFlowId: string | null = null): Reply {
  const failure = asApiError(error);
  logFailure(app, request, 'sso', failure);
  const target =
    pageFlowId === null ? app.redirects.choose([]).url : externalAddress(app.config, returnPath(pageFlowId));
  const location = withQuery(target, errorParameters(failure));
  return { ...redirect(303, location), refusal: failure };
}
