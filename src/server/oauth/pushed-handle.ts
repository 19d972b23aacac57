/** Handles of requests that a client has pushed (RFC 9126 2.2). */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { takePushedAuthorization } from '../../db/oauth-pushed.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { isRequestId, makeRequestId } from './request-id.js';

const PREFIX = 'urn:ietf:params:oauth:request_uri:';
/** The browser follows at once. */
export const PUSHED_SECONDS = 60;

export const pushedUri = (handle: string): string => PREFIX + handle;

export const isPushedUri = (requestUri: string | undefined): requestUri is string =>
  requestUri?.startsWith(PREFIX) === true;

/**
 * The browser comes with the handle of a request of this client, once.
 * @returns the request under its new id, with what the page gets to know of it
 * @throws ApiError authorizeRequestUriInvalid
 */
export async function takePushedRequest(app: Pick<App, 'db'>, client: OauthClientRow, requestUri: string) {
  const id = makeRequestId();
  const handle = requestUri.slice(PREFIX.length);
  const pushed = { handle, clientId: client.id };
  const taken = isRequestId(handle) ? await takePushedAuthorization(app.db, pushed, id, PUSHED_SECONDS) : undefined;
  if (taken === undefined) throw apiError('authorizeRequestUriInvalid');
  return { id, loginHint: taken.login_hint, uiLocales: taken.ui_locales };
}
