import {
  findSsoProvider,
  listSsoProviders,
  listSsoProvidersOf,
  type SsoProviderRow,
} from '../../../db/sso-providers.js';
import { readUuid } from '../../../db/uuid.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';

const RESOURCE = 'resource_';

/**
 * @param id of the path: a UUID, or `resource_` and the resource id
 * @throws ApiError ssoIdentityProviderNotFound
 */
export async function readSsoProvider({ db }: Pick<App, 'db'>, id: string): Promise<SsoProviderRow> {
  const uuid = readUuid(id);
  const found = id.startsWith(RESOURCE)
    ? await findSsoProvider(db, 'resource_id', id.slice(RESOURCE.length))
    : uuid === null
      ? undefined
      : await findSsoProvider(db, 'id', uuid);
  if (found === undefined) throw apiError('ssoIdentityProviderNotFound');
  return found;
}

/** Those of an organization, oldest first. */
export const readSsoProvidersOf = ({ db }: Pick<App, 'db'>, organizationId: string) =>
  listSsoProvidersOf(db, organizationId);

/** Oldest first. @param prefix of the resource id; both empty: all */
export const readSsoProviders = ({ db }: Pick<App, 'db'>, resourceId: string, prefix: string) =>
  listSsoProviders(db, resourceId || null, prefix || null);
