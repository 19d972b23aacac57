import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { RoleCatalog } from './role-catalog.js';

/** For every endpoint of organizations. @throws ApiError organizationsDisabled */
export function assertOrganizationsOn({ config }: Pick<App, 'config'>): void {
  if (!config.organizationsEnabled) throw apiError('organizationsDisabled');
}

/** The roles as this thread knows them. @throws ApiError organizationsDisabled, overloaded */
export function catalogOf({ organizationRoles }: Pick<App, 'organizationRoles'>): RoleCatalog {
  if (organizationRoles === null) throw apiError('organizationsDisabled');
  return organizationRoles.catalog();
}
