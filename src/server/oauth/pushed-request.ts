/** Pushed authorization requests (RFC 9126): the client sends its request itself, and the browser gets only a handle. */
import { insertAuthorization } from '../../db/oauth-authorizations.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { locatePage, readAuthorizeRequest } from './authorize-request.js';
import { authenticateClient } from './client-authentication.js';
import { answersTo } from './client-id.js';
import type { TokenRequest } from './contract.js';
import { readOfferedKey } from './proven-key.js';
import { PUSHED_SECONDS, pushedUri } from './pushed-handle.js';
import { isRegisteredRedirectUri } from './redirect-uri.js';
import { AuthorizeError, answeringErrors } from './request-fields.js';
import { makeRequestId } from './request-id.js';

/**
 * Stores a request, after the checks of the authorization endpoint.
 * @throws ApiError clientNotProven, authorizationRequestInvalid, clientProofInvalid, clientNonceMissing, pushedKeyDiffers
 */
export async function pushAuthorization(
  app: App,
  { presented, parameters, request }: Omit<TokenRequest, 'client'>,
): Promise<{ readonly request_uri: string; readonly expires_in: number }> {
  const { client } = await authenticateClient(app, presented, false);
  const jkt = await readOfferedKey(app, request);
  const id = makeRequestId();
  const pushed = await answeringErrors(async () => {
    if (parameters.get('request_uri') !== undefined) {
      throw new AuthorizeError('invalid_request', 'request_uri cannot be pushed');
    }
    const claimed = parameters.get('client_id');
    if (claimed !== undefined && !answersTo(client, claimed)) {
      throw new AuthorizeError('invalid_request', 'client_id is not that of the client');
    }
    const redirectUri = parameters.get('redirect_uri');
    if (redirectUri === undefined || !isRegisteredRedirectUri(client.redirect_uris, redirectUri)) {
      throw new AuthorizeError('invalid_request', 'redirect_uri is missing or not registered');
    }
    const asked = await readAuthorizeRequest(app, client, parameters);
    // RFC 9449 10.1
    if (jkt !== null && asked.dpopJkt !== null && jkt !== asked.dpopJkt) throw apiError('pushedKeyDiffers');
    const read = { ...asked, id, redirectUri, dpopJkt: jkt ?? asked.dpopJkt };
    locatePage(app, read);
    return read;
  });
  await insertAuthorization(app.db, { ...pushed, clientId: client.id, status: 'pushed' });
  app.housekeeping.recordFlow();
  return { request_uri: pushedUri(id), expires_in: PUSHED_SECONDS };
}
