/** The endpoints of provisioning, in the order of the documentation. */

import { getScimConfig, getScimKind, getScimKinds, getScimSchema, getScimSchemas } from './scim-discovery.js';
import {
  deleteAdminScimToken,
  deleteOrganizationScimToken,
  getAdminScimTokens,
  getOrganizationScimTokens,
  postAdminScimTokens,
  postOrganizationScimTokens,
} from './scim-tokens.js';
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
];

export const scimOrganizationEndpoints: readonly Endpoint[] = [
  postOrganizationScimTokens,
  getOrganizationScimTokens,
  deleteOrganizationScimToken,
];

export const scimAdminEndpoints: readonly Endpoint[] = [postAdminScimTokens, getAdminScimTokens, deleteAdminScimToken];
