/** Organizations. */
import type { ErrorEntries } from './entry.js';

export const organizationEntries = {
  organizationsDisabled: [404, 'feature_disabled', 'Organizations are disabled'],
  // Also for those the caller is no member of.
  organizationNotFound: [404, 'organization_not_found', 'Organization not found'],
  organizationPermissionMissing: [403, 'organization_permission_missing', 'This needs the permission <permission>'],
  ownersOnly: [403, 'organization_permission_missing', 'Only an owner makes, changes or removes owners'],
  // Of a sign-in or a refresh that names it.
  notAMember: [403, 'not_a_member', 'The user is not a member of this organization'],
  organizationCreationDisabled: [403, 'organization_creation_disabled', '<reason>'],
  organizationFieldInvalid: [400, 'validation_failed', '<reason>'],
  organizationSlugTaken: [409, 'organization_slug_taken', 'Another organization has this slug'],
  tooManyOrganizations: [422, 'too_many_organizations', 'A user may own <limit> organizations'],
  tooManyMembers: [422, 'too_many_members', 'The organization may have <limit> members'],
  memberNotFound: [404, 'member_not_found', 'The organization has no such member'],
  alreadyAMember: [409, 'already_a_member', 'The user is a member of this organization'],
  // Also one that is answered, revoked or expired, or whose inviter may not give its roles any more.
  invitationNotFound: [404, 'invitation_not_found', 'Invitation not found'],
  invitationForOtherAddress: [403, 'invitation_for_other_address', 'The invitation is for another address'],
  tooManyInvitations: [422, 'too_many_invitations', 'The organization may have <limit> pending invitations'],
  lastOwner: [409, 'last_owner', 'An organization needs an owner: make another member one first'],
  // Of what makes it active, of a refresh that keeps it, and of its endpoints.
  organizationRequiresAal2: [403, 'organization_requires_aal2', 'This organization needs a second factor'],
  organizationRequiresSso: [
    403,
    'organization_requires_sso',
    'This organization needs a sign-in at its identity provider',
  ],
  organizationSessionExpired: [403, 'organization_session_expired', 'This organization needs a new sign-in'],
  organizationAddressNotAllowed: [
    403,
    'organization_address_not_allowed',
    'Only addresses of these domains join the organization: <domains>',
  ],
  // Of a change of policies.
  organizationPolicyUnmet: [422, 'organization_policy_unmet', 'Your own session does not meet <reason>'],
  domainNotFound: [404, 'domain_not_found', 'The organization has no such domain'],
  domainTaken: [409, 'domain_taken', 'Another organization has verified this domain'],
  tooManyDomains: [422, 'too_many_domains', 'An organization may have <limit> domains'],
  tooManyClients: [422, 'too_many_clients', 'An organization may have <limit> clients'],
  tooManySsoProviders: [422, 'too_many_sso_providers', 'An organization may have <limit> identity providers'],
  roleNotFound: [404, 'role_not_found', 'There is no role <role>'],
  roleExists: [409, 'role_exists', 'There is a role <role>'],
  roleInUse: [409, 'role_in_use', 'The role <role> is in use: replace_with names another one in its place'],
} as const satisfies ErrorEntries;
