/** The endpoints of organizations, in the order of the documentation. */
import { deleteOrganizationEndpoint, getOrganization, patchOrganization } from './organization.js';
import { deleteOrganizationsActive, postOrganizationActivate } from './organization-active.js';
import { deleteOrganizationMember, getOrganizationMembers, patchOrganizationMember } from './organization-members.js';
import { getOrganizations, postOrganizations } from './organizations.js';
import type { Endpoint } from './shared/define.js';

export const organizationEndpoints: readonly Endpoint[] = [
  postOrganizations,
  getOrganizations,
  getOrganization,
  patchOrganization,
  deleteOrganizationEndpoint,
  postOrganizationActivate,
  deleteOrganizationsActive,
  getOrganizationMembers,
  patchOrganizationMember,
  deleteOrganizationMember,
];
