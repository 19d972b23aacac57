import type { UserCaller } from '../accounts/caller.js';
import { sendNonce } from '../accounts/reauthenticate.js';
import type { App } from '../app.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';
import { clientOf } from './client.js';

/** GET /reauthenticate (service.md): sends the nonce a password change may ask for. */
export async function reauthenticate(app: App, request: ApiRequest<unknown, UserCaller>): Promise<Reply> {
  return json(await sendNonce(app, clientOf(request), request.caller));
}
