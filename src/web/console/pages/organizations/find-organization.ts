import { ApiFault, pathWith, send } from '../../core/api.js';
import type { ShownOrganization } from './shown-organization.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id of the organization with this slug or id. Whether there is one with an id is said by what is done with it.
 * @throws ApiFault
 */
export async function findOrganizationId(given: string): Promise<string> {
  const text = given.trim().toLowerCase();
  if (UUID.test(text)) return text;
  const path = pathWith('/api/organizations', { search: text });
  const { data } = await send<{ readonly organizations: readonly ShownOrganization[] }>('GET', path);
  const found = data.organizations.find(({ slug }) => slug === text);
  if (found === undefined) throw new ApiFault(404, 'organization_not_found', 'No organization has this slug or id.');
  return found.id;
}
