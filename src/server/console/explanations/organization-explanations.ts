import type { organizationEntries } from '../../errors/organization-errors.js';
import type { Explanations } from './check-names.js';

/** Each says what it is, and what helps. */
export const organizationExplanations = {
  organizationsDisabled: [
    'switch',
    'Organizations are switched off. Switch them on, or have the application not call this.',
    'AUTH_ORGANIZATIONS_ENABLED',
  ],
  organizationNotFound: [
    'object',
    'There is no such organization, or the user is no member of it: the two look alike. Look for it under Organizations, and at the memberships of the user.',
  ],
  organizationPermissionMissing: [
    'permission',
    'No role of the member has the permission that the message names. An owner of the organization gives a role that has it, or an administrator adds it to a role.',
  ],
  ownersOnly: [
    'permission',
    'The member is no owner, and owners are made, changed and removed by owners only. An owner does it, or an operator under Organizations.',
  ],
  notAMember: [
    'permission',
    'The request or its client is for an organization that does not exist, or of which the user is no member: the two look alike. Sign in without organization_id, or add the user. Where sessions are checked, a token that names an organization which its user has left is refused so, too: refresh it.',
  ],
  organizationCreationDisabled: [
    'permission',
    'The user is anonymous, has no confirmed address, or only administrators create organizations. Confirm the address, or create it for the user.',
    'AUTH_ORGANIZATIONS_CREATION',
  ],
  organizationFieldInvalid: [
    'input',
    'A field of the request is missing or does not fit. The message names it and what it needs.',
  ],
  organizationSlugTaken: [
    'duplicate',
    'Another organization has this slug. Choose another one, or leave it out: then one is made from the name.',
  ],
  tooManyOrganizations: [
    'limit',
    'The user owns as many organizations as a user may. Make another member the owner of one, or raise the limit.',
    'AUTH_ORGANIZATIONS_MAX_OWNED',
  ],
  tooManyMembers: [
    'limit',
    'The organization has as many members as it may have. Remove some, or set another number for it under Organizations.',
    'AUTH_ORGANIZATIONS_MAX_MEMBERS',
  ],
  memberNotFound: [
    'object',
    'The user is no member of this organization, or not any more. Read the list of its members again.',
  ],
  alreadyAMember: ['duplicate', 'The user is a member already, so there is nothing to add. Change the roles.'],
  invitationNotFound: [
    'object',
    'The invitation has been answered, replaced or revoked, has expired, or its inviter may not give its roles any more. Invite the address again.',
    'AUTH_ORGANIZATIONS_INVITATION_TTL',
  ],
  invitationForOtherAddress: [
    'permission',
    'The user has another address than the invited one, or has not confirmed it. Sign in with that one, or invite the address that the user has.',
  ],
  tooManyInvitations: [
    'limit',
    'As many invitations of the organization wait for an answer as may. Revoke some, wait until they are answered or expire, or raise the limit.',
    'AUTH_ORGANIZATIONS_MAX_PENDING_INVITATIONS',
  ],
  lastOwner: [
    'permission',
    'The user is the only owner of an organization, which would be left without one. Make another member an owner first; for the deletion of an account say in organizations what becomes of them.',
  ],
  organizationRequiresAal2: [
    'permission',
    'The policy require_aal2 of the organization needs a session with a second factor: verify one, then make the organization active.',
  ],
  organizationRequiresSso: [
    'permission',
    'The policy require_sso of the organization needs a sign-in at an identity provider of it. Only owners with a second factor in the session do without.',
  ],
  organizationSessionExpired: [
    'permission',
    'The sign-in is older than the policy session_hours of the organization allows: sign in again.',
  ],
  organizationAddressNotAllowed: [
    'permission',
    'The policy allowed_domains of the organization does not have the domain of the address. Add it, or use another address.',
  ],
  organizationPolicyUnmet: [
    'permission',
    'The session that sets the policy would be shut out by it. Its user meets the policy first, or an administrator sets it.',
  ],
  domainNotFound: [
    'object',
    'The organization has not added this domain, or has removed it. Compare the spelling, or add it.',
  ],
  domainTaken: ['duplicate', 'Another organization has verified this domain. That one has to remove it first.'],
  tooManyDomains: ['limit', 'The organization has as many domains as it may have. Remove those that it does not need.'],
  tooManyClients: ['limit', 'The organization has as many clients as it may have. Delete those that it does not need.'],
  tooManySsoProviders: [
    'limit',
    'The organization has as many identity providers as it may have. Delete those that it does not need.',
  ],
  roleNotFound: [
    'object',
    'There is no role of this name, or it has been removed. Compare it with the list of roles under Organizations.',
  ],
  roleExists: ['duplicate', 'There is a role of this name. Change that one, or choose another name.'],
  roleInUse: [
    'permission',
    'Members or clients have this role, or a domain, an invitation, an identity provider or a group gives it. Name another one in replace_with, which takes its place there.',
  ],
} as const satisfies Explanations<typeof organizationEntries>;
