import type { UserCaller } from '../accounts/caller.js';
import { unlink } from '../accounts/unlink.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';
import { clientOf } from './client.js';

/** DELETE /user/identities/{identity_id} (reference/providers.md 5.3) */
export async function deleteIdentity(app: App, request: ApiRequest<unknown, UserCaller>): Promise<Reply> {
  if (!app.config.securityManualLinkingEnabled) throw refuse('manualLinkingDisabled');
  await unlink(app, clientOf(request), request.caller, request.params['identity_id']!);
  return json({});
}
