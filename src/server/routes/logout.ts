import type { LogoutScope } from '../../db/sessions.js';
import type { UserCaller } from '../accounts/caller.js';
import { signOut } from '../accounts/sessions.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { type ApiRequest, noContent, type Reply } from '../http/types.js';
import { clientOf } from './client.js';

const scopes: readonly string[] = ['global', 'local', 'others'] satisfies LogoutScope[];

/** POST /logout?scope=… (service.md; reference/core.md 7.6): global unless said otherwise. */
export async function logout(app: App, request: ApiRequest<unknown, UserCaller>): Promise<Reply> {
  const scope = request.query.get('scope') || 'global';
  if (!scopes.includes(scope)) throw refuse('unsupportedLogoutScope', { scope: scope.slice(0, 32) });
  await signOut(app, clientOf(request), request.caller, scope as LogoutScope);
  return noContent();
}
