/** The endpoints of provisioning, in the order of the documentation. */

import { getScimConfig, getScimKind, getScimKinds, getScimSchema, getScimSchemas } from './scim-discovery.js';
import {
  deleteOrganizationScimGroupRoles,
  getOrganizationScimGroupRoles,
  putOrganizationScimGroupRoles,
} from './scim-group-roles.js';
import {
  deleteScimGroupEndpoint,
  getScimGroup,
  getScimGroups,
  patchScimGroupEndpoint,
  postScimGroups,
  postScimGroupsSearch,
  putScimGroup,
} from './scim-groups.js';
import { postScimSearch } from './scim-search.js';
import {
  deleteAdminScimToken,
  deleteOrganizationScimToken,
  getAdminScimTokens,
  getOrganizationScimTokens,
  postAdminScimTokens,
  postOrganizationScimTokens,
} from './scim-tokens.js';
import { deleteScimMe, getScimMe, patchScimMe, postScimBulk, postScimMe, putScimMe } from './scim-unsupported.js';
import {
  deleteScimUserEndpoint,
  getScimUser,
  getScimUsers,
  patchScimUserEndpoint,
  postScimUsers,
  postScimUsersSearch,
  putScimUser,
} from './scim-users.js';
import type { Endpoint } from './shared/define.js';

export const scimEndpoints: readonly Endpoint[] = [
  getScimConfig,
  getScimKinds,
  getScimKind,
  getScimSchemas,
  getScimSchema,
  postScimUsers,
  getScimUsers,
  postScimUsersSearch,
  getScimUser,
  putScimUser,
  patchScimUserEndpoint,
  deleteScimUserEndpoint,
  postScimGroups,
  getScimGroups,
  postScimGroupsSearch,
  getScimGroup,
  putScimGroup,
  patchScimGroupEndpoint,
  deleteScimGroupEndpoint,
  postScimBulk,
  postScimSearch,
  getScimMe,
  postScimMe,
  putScimMe,
  patchScimMe,
  deleteScimMe,
];

export const scimOrganizationEndpoints: readonly Endpoint[] = [
  postOrganizationScimTokens,
  getOrganizationScimTokens,
  deleteOrganizationScimToken,
  getOrganizationScimGroupRoles,
  putOrganizationScimGroupRoles,
  deleteOrganizationScimGroupRoles,
];

export const scimAdminEndpoints: readonly Endpoint[] = [postAdminScimTokens, getAdminScimTokens, deleteAdminScimToken];
