import type { scimEntries } from '../../errors/scim-errors.js';
import type { Explanations } from './check-names.js';

/** Each says what it is, and what helps. */
export const scimExplanations = {
  scimDisabled: ['switch', 'Provisioning is switched off.', 'AUTH_SCIM_ENABLED'],
  scimTokenInvalid: [
    'caller',
    'The SCIM token has ended or expired, or is no such token. Make a new one, and enter it at the identity provider.',
  ],
  scimNotFound: [
    'object',
    'There is no such person or group, or a token of another provider or organization made it: the two look alike.',
  ],
  scimFilterInvalid: ['input', 'The filter cannot be read, or names an attribute that cannot be searched.'],
  scimFilterRefused: ['input', 'Discovery has no filters (RFC 7644 4). Leave it out.'],
  scimPathInvalid: ['input', 'The path of an operation cannot be read. The message says why.'],
  scimSyntaxInvalid: ['input', 'The body is not what SCIM asks for. The message says what is missing.'],
  scimValueInvalid: ['input', 'A value is missing or has the wrong type. The message names the attribute.'],
  scimMutability: ['input', 'The attribute can only be read. Do not map it at the identity provider.'],
  scimNoTarget: ['input', 'The filter in the path of an operation finds no value to change.'],
  scimTooMany: ['input', 'The request changes too much at once. Let the identity provider send smaller ones.'],
  scimCursorInvalid: ['input', 'The cursor is not one that a list has answered. Begin with an empty one.'],
  scimUniqueness: [
    'duplicate',
    'Another person has this userName or externalId, or another group this name. The identity provider looks for it and takes it over.',
  ],
  scimLastOwner: [
    'permission',
    'An organization needs an owner. Make another member one first, then let the identity provider try again.',
  ],
  scimOwner: [
    'permission',
    'The member who made the token is no owner, so it does not end owners. Let an owner make another token.',
  ],
  scimMemberBeyond: [
    'permission',
    'Who names the account (userName, emails) could get into it. Let an owner make the token of the identity provider.',
  ],
  scimGroupBeyond: [
    'permission',
    'The organization gives the group roles that the maker of the token could not give. Let an owner make the token of the identity provider.',
  ],
  scimVersionDiffers: ['duplicate', 'Another change came in between. The identity provider reads it and tries again.'],
  scimNotImplemented: ['endpoint', '/Bulk and /Me are not there. Switch them off at the identity provider.'],
  scimTokenNotFound: ['object', 'The provider or organization has no such SCIM token: it may have been ended already.'],
  scimTokenFieldInvalid: ['input', 'The message says which field of the SCIM token does not fit.'],
  groupRolesNotFound: ['object', 'No roles are given to members of a group of that name.'],
  tooManyGroupRoles: [
    'duplicate',
    'Take roles from another group first, or give several groups one role at the identity provider.',
  ],
  tooManyScimTokens: ['duplicate', 'Two SCIM tokens are there at most. End the one that is no longer used.'],
} as const satisfies Explanations<typeof scimEntries>;
