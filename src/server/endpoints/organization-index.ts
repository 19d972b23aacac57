/** The endpoints of organizations, in the order of the documentation. */
import { deleteOrganizationsActive, postOrganizationActivate } from './organization-active.js';
import { getOrganizations, postOrganizations } from './organizations.js';
import type { Endpoint } from './shared/define.js';

export const organizationEndpoints: readonly Endpoint[] = [
  postOrganizations,
  getOrganizations,
  postOrganizationActivate,
  deleteOrganizationsActive,
];
