/** Provisioning (SCIM 2.0). What its endpoints answer has the form of RFC 7644 3.12 (http/scim-error.ts). */
import type { ErrorEntries } from './entry.js';

export const scimEntries = {
  scimDisabled: [404, 'feature_disabled', 'SCIM is disabled'],
  scimTokenInvalid: [401, 'scim_token_invalid', 'This is no SCIM token, or it has ended'],
  scimNotFound: [404, 'scim_not_found', 'Resource <id> not found'],
  scimFilterInvalid: [400, 'scim_invalid_filter', '<reason>'],
  scimFilterRefused: [403, 'scim_filter_refused', 'A filter is not allowed here'],
  scimPathInvalid: [400, 'scim_invalid_path', '<reason>'],
  scimSyntaxInvalid: [400, 'scim_invalid_syntax', '<reason>'],
  scimValueInvalid: [400, 'scim_invalid_value', '<reason>'],
  scimMutability: [400, 'scim_mutability', '<reason>'],
  scimNoTarget: [400, 'scim_no_target', '<reason>'],
  scimTooMany: [400, 'scim_too_many', '<reason>'],
  scimCursorInvalid: [400, 'scim_invalid_cursor', 'The cursor is not the nextCursor of an answer'],
  scimUniqueness: [409, 'scim_uniqueness', 'Another resource has this <attribute>'],
  // Of what would leave an organization without one.
  scimLastOwner: [409, 'last_owner', 'This person is the last owner of the organization'],
  scimOwner: [403, 'scim_owner', 'This token may not end owners of the organization'],
  scimMemberBeyond: [
    403,
    'scim_member_beyond',
    'The member who made this token could not give the roles of this person: it may not name the account',
  ],
  scimGroupBeyond: [
    403,
    'scim_group_beyond',
    'The member who made this token could not give the roles of this group: it may not add people to it',
  ],
  scimVersionDiffers: [412, 'scim_version_differs', 'The resource has changed'],
  scimNotImplemented: [501, 'scim_not_implemented', 'This is not supported'],
  // Of the endpoints that manage tokens, which answer as the others do.
  scimTokenNotFound: [404, 'scim_token_not_found', 'SCIM token not found'],
  scimTokenFieldInvalid: [400, 'validation_failed', '<reason>'],
  groupRolesNotFound: [404, 'scim_group_roles_not_found', 'The group has no roles'],
  tooManyGroupRoles: [422, 'too_many_scim_group_roles', 'There may be roles for <limit> groups'],
  tooManyScimTokens: [422, 'too_many_scim_tokens', 'There may be <limit> SCIM tokens: end one first'],
} as const satisfies ErrorEntries;

/** scimType of RFC 7644 3.12, table 9, and of RFC 9865. */
export const scimTypes: Readonly<Partial<Record<string, string>>> = {
  badJson: 'invalidSyntax',
  numberInexact: 'invalidValue',
  scimFilterInvalid: 'invalidFilter',
  scimPathInvalid: 'invalidPath',
  scimSyntaxInvalid: 'invalidSyntax',
  scimValueInvalid: 'invalidValue',
  scimMutability: 'mutability',
  scimNoTarget: 'noTarget',
  scimTooMany: 'tooMany',
  scimCursorInvalid: 'invalidCursor',
  scimUniqueness: 'uniqueness',
};
