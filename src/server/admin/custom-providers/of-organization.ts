/** OpenID Connect providers that members of their organization manage. */
import { type CustomProviderRow, listCustomProvidersOf } from '../../../db/custom-providers.js';
import { apiError } from '../../errors.js';
import type { OrganizationManager } from '../../organizations/provider-manager.js';
import type { App } from '../../runtime/app.js';

type Manager = Pick<OrganizationManager, 'organizationId'>;

/** Oldest first; none where custom providers are switched off. */
export async function readCustomProvidersOf(
  { db, providers }: Pick<App, 'db' | 'providers'>,
  { organizationId }: Manager,
): Promise<readonly CustomProviderRow[]> {
  return providers.stored === null ? [] : await listCustomProvidersOf(db, organizationId);
}

/** @param id of the path. @returns undefined: none of OpenID Connect */
export async function findCustomProviderOf(
  app: Pick<App, 'db' | 'providers'>,
  manager: Manager,
  id: string,
): Promise<CustomProviderRow | undefined> {
  return (await readCustomProvidersOf(app, manager)).find((row) => row.id === id.toLowerCase());
}

/** As it is now. @throws ApiError customProviderNotFound */
export const customProviderReader =
  (app: Pick<App, 'db' | 'providers'>, manager: Manager, id: string) => async (): Promise<CustomProviderRow> => {
    const row = await findCustomProviderOf(app, manager, id);
    if (row === undefined) throw apiError('customProviderNotFound');
    return row;
  };
