import type { organizationEntries } from '../../errors/organization-errors.js';
import type { Explanations } from './check-names.js';

export const organizationExplanations = {
  organizationsDisabled: ['switch', 'Organizations are switched off.', 'AUTH_ORGANIZATIONS_ENABLED'],
  organizationNotFound: [
    'object',
    'There is no such organization, or the user is no member of it: the two look alike.',
  ],
  organizationPermissionMissing: ['permission', 'No role of the member has this permission. An owner may give one.'],
  ownersOnly: ['permission', 'Owners are made, changed and removed by owners only.'],
  notAMember: [
    'permission',
    'The request names an organization that does not exist, or of which the user is no member.',
  ],
  organizationCreationDisabled: [
    'permission',
    'The user has no confirmed address, is anonymous, or only administrators create organizations.',
    'AUTH_ORGANIZATIONS_CREATION',
  ],
  organizationFieldInvalid: ['input', 'The message names the field and what it needs.'],
  organizationSlugTaken: ['duplicate', 'Choose another slug, or leave it out: then one is made from the name.'],
  tooManyOrganizations: ['limit', 'The user owns as many as a user may.', 'AUTH_ORGANIZATIONS_MAX_OWNED'],
  tooManyMembers: [
    'limit',
    'The organization has as many members as it may have. An administrator may set another number for it.',
    'AUTH_ORGANIZATIONS_MAX_MEMBERS',
  ],
  memberNotFound: ['object', 'The user is no member of this organization, or not any more.'],
  alreadyAMember: ['duplicate', 'The user is a member already: change the roles.'],
  invitationNotFound: [
    'object',
    'The invitation has been answered, replaced or revoked, has expired, or its inviter may not give its roles any more. Invite again.',
  ],
  invitationForOtherAddress: ['permission', 'Sign in with the address that is invited, which has to be confirmed.'],
  tooManyInvitations: [
    'limit',
    'Revoke pending invitations, or wait until some are answered or expire.',
    'AUTH_ORGANIZATIONS_MAX_PENDING_INVITATIONS',
  ],
  lastOwner: ['permission', 'Make another member an owner first.'],
  domainNotFound: ['object', 'The organization has not added this domain, or has removed it.'],
  domainTaken: ['duplicate', 'Another organization has verified it. It has to remove it first.'],
  tooManyDomains: ['limit', 'Remove domains that are not needed.'],
  roleNotFound: ['object', 'Compare the name with the list of roles. It may have been removed.'],
  roleExists: ['duplicate', 'Change that role, or choose another name.'],
  roleInUse: ['permission', 'Name a role in replace_with for the members who have this one.'],
} as const satisfies Explanations<typeof organizationEntries>;
