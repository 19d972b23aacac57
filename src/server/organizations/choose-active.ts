import { enterOrganization, leaveActiveOrganization } from '../../db/active-organization.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertAdmitted } from '../sessions/admission.js';
import type { UserCaller } from '../sessions/caller.js';
import { readOrganizationId } from './locked-organization.js';

/**
 * Makes another organization the active one of a session of the hosted pages, or none. Its tokens never leave the server, so none
 * are renewed.
 * @param pathId empty: none
 * @throws ApiError organizationNotFound, organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired, sessionNotFound
 */
export async function chooseActive(app: Pick<App, 'config' | 'db'>, caller: UserCaller, pathId: string): Promise<void> {
  const { user, sessionId } = caller;
  if (sessionId === null) throw apiError('sessionNotFound');
  if (pathId === '') return leaveActiveOrganization(app.db, sessionId, user.id);
  const id = readOrganizationId(pathId);
  await assertAdmitted(app, app.db, id, caller);
  const entered = await enterOrganization(app.db, sessionId, user.id, id);
  if (entered === undefined) throw apiError('organizationNotFound');
}
