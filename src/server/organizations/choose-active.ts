import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { enterNamed } from '../sessions/active-organization.js';
import type { UserCaller } from '../sessions/caller.js';
import { readOrganizationId } from './locked-organization.js';

/**
 * Makes another organization the active one of a session of the hosted pages, or none. Its tokens never leave the server, so none
 * are renewed.
 * @param pathId empty: none
 * @throws ApiError organizationNotFound, sessionNotFound
 */
export async function chooseActive(
  { db }: Pick<App, 'db'>,
  { user, sessionId }: UserCaller,
  pathId: string,
): Promise<void> {
  if (sessionId === null) throw apiError('sessionNotFound');
  const named = pathId === '' ? '' : readOrganizationId(pathId);
  try {
    await enterNamed(db, sessionId, user.id, named);
  } catch (error) {
    throw error instanceof ApiError && error.entry === 'notAMember'
      ? apiError('organizationNotFound', {}, { cause: error })
      : error;
  }
}
