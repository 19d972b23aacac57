import { readUser } from '../accounts/admin-change.js';
import { readUuid } from '../accounts/uuid.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { type ApiRequest, json, type Reply } from '../http/types.js';

/** GET /admin/users/{user_id}/factors (operations.md 1.12): second factors do not exist here, so nobody has any. */
export async function listFactors(app: App, request: ApiRequest): Promise<Reply> {
  await readUser(app, request.params['user_id']!);
  return json([]);
}

/** PUT and DELETE /admin/users/{user_id}/factors/{factor_id}. */
export async function refuseFactor(app: App, request: ApiRequest): Promise<Reply> {
  await readUser(app, request.params['user_id']!);
  throw refuse(readUuid(request.params['factor_id']!) === null ? 'factorIdNotUuid' : 'factorNotFound');
}
