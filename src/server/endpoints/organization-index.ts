/** The endpoints of organizations, in the order of the documentation. */

import {
  deleteAdminOrganizationDomain,
  getAdminOrganizationDomains,
  patchAdminOrganizationDomain,
  postAdminOrganizationDomains,
} from './admin-organization-domains.js';
import {
  deleteAdminOrganizationInvitation,
  getAdminOrganizationInvitations,
  postAdminOrganizationInvitationResend,
  postAdminOrganizationInvitations,
} from './admin-organization-invitations.js';
import {
  deleteAdminOrganizationMember,
  getAdminOrganizationMembers,
  patchAdminOrganizationMember,
  postAdminOrganizationMembers,
} from './admin-organization-members.js';
import {
  deleteAdminOrganizationRole,
  getAdminOrganizationRoles,
  postAdminOrganizationRoles,
  putAdminOrganizationRole,
} from './admin-organization-roles.js';
import {
  deleteAdminOrganization,
  getAdminOrganization,
  getAdminOrganizations,
  getAdminUserOrganizations,
  postAdminOrganizations,
  putAdminOrganization,
} from './admin-organizations.js';
import { deleteOrganizationEndpoint, getOrganization, patchOrganization } from './organization.js';
import { deleteOrganizationsActive, postOrganizationActivate } from './organization-active.js';
import { getOrganizationAudit } from './organization-audit.js';
import {
  deleteOrganizationClient,
  getOrganizationClient,
  getOrganizationClients,
  patchOrganizationClient,
  postOrganizationClientSecret,
  postOrganizationClients,
} from './organization-clients.js';
import {
  deleteOrganizationDomain,
  getOrganizationDomains,
  patchOrganizationDomain,
  postOrganizationDomain,
  postOrganizationDomainVerify,
} from './organization-domains.js';
import {
  deleteOrganizationInvitation,
  getInvitations,
  getOrganizationInvitations,
  postInvitationAccept,
  postInvitationDecline,
  postInvitationResend,
  postOrganizationInvitations,
} from './organization-invitations.js';
import { deleteOrganizationMember, getOrganizationMembers, patchOrganizationMember } from './organization-members.js';
import { getOrganizationRoles } from './organization-roles.js';
import {
  deleteOrganizationSsoProvider,
  getOrganizationSsoProvider,
  getOrganizationSsoProviders,
  postOrganizationSsoProvider,
  postOrganizationSsoRefresh,
  putOrganizationSsoProvider,
} from './organization-sso.js';
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
  getOrganizationRoles,
  postOrganizationInvitations,
  getOrganizationInvitations,
  postInvitationResend,
  deleteOrganizationInvitation,
  getInvitations,
  postInvitationAccept,
  postInvitationDecline,
  getOrganizationDomains,
  postOrganizationDomain,
  patchOrganizationDomain,
  postOrganizationDomainVerify,
  deleteOrganizationDomain,
  getOrganizationSsoProviders,
  postOrganizationSsoProvider,
  getOrganizationSsoProvider,
  putOrganizationSsoProvider,
  deleteOrganizationSsoProvider,
  postOrganizationSsoRefresh,
  getOrganizationAudit,
  postOrganizationClients,
  getOrganizationClients,
  getOrganizationClient,
  patchOrganizationClient,
  deleteOrganizationClient,
  postOrganizationClientSecret,
];

export const adminOrganizationEndpoints: readonly Endpoint[] = [
  getAdminOrganizationRoles,
  postAdminOrganizationRoles,
  putAdminOrganizationRole,
  deleteAdminOrganizationRole,
  getAdminOrganizations,
  postAdminOrganizations,
  getAdminOrganization,
  putAdminOrganization,
  deleteAdminOrganization,
  getAdminOrganizationMembers,
  postAdminOrganizationMembers,
  patchAdminOrganizationMember,
  deleteAdminOrganizationMember,
  postAdminOrganizationInvitations,
  getAdminOrganizationInvitations,
  postAdminOrganizationInvitationResend,
  deleteAdminOrganizationInvitation,
  getAdminOrganizationDomains,
  postAdminOrganizationDomains,
  patchAdminOrganizationDomain,
  deleteAdminOrganizationDomain,
  getAdminUserOrganizations,
];
