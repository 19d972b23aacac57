/** The types of events, and the patterns that select them: a type, a family such as user.*, or *. */

export const eventTypes = {
  'user.created': 'An account was made.',
  'user.updated': 'Members of an account changed; `changed` names them.',
  'user.deleted': 'An account was deleted, with its sessions and identities; `soft` when its row was kept.',
  'user.banned': 'An account was banned, until `banned_until`.',
  'user.unbanned': 'A ban was lifted.',
  'email.changed': 'The email address of an account changed, was added or removed.',
  'phone.changed': 'The phone number of an account changed, was added or removed.',
  'password.changed': 'The password of an account changed.',
  'password.leaked': 'A sign-in with a password that is in a list of leaked ones.',
  'identity.linked': 'An identity was added to an account; `identity_id` and `provider` name it.',
  'identity.unlinked': 'An identity was removed from an account.',
  'factor.enrolled': 'A second factor was verified for the first time; `factor_id` and `factor_type` name it.',
  'factor.removed': 'A second factor that had been verified was removed; one that was only begun has no event.',
  'passkey.added': 'A passkey was added to an account; `passkey_id` names it.',
  'passkey.removed': 'A passkey was removed from an account.',
  'session.created': 'A sign-in; `session_id` and `method` name it.',
  'session.revoked': 'A session was ended by sign-out, a ban, a new password or reuse; not when it expires.',
  'session.reuse_detected': 'A refresh token was used twice; session.revoked follows.',
  'sign_in.failed':
    'A wrong password, or no such account: then without `user_id`. Each server thread records at most ten a second.',
  'invite.accepted': 'An invited account was confirmed.',
  'organization.created': 'An organization was made; `organization_id`, `name` and `slug`.',
  'organization.updated': 'Fields of an organization changed; `changed` names them.',
  'organization.deleted': 'An organization was deleted, with its memberships.',
  'organization.domain_verified':
    'The record of a domain was seen, which is now that of the organization; `organization_id` and `domain`.',
  'organization.domain_lost':
    'A verified domain was removed, or its record was missing for 30 days; `organization_id` and `domain`.',
  'organization.member_added': 'A user joined an organization; `organization_id`, `roles` and `via`, how.',
  'organization.member_updated': 'A member has other `roles`.',
  'organization.member_removed':
    'A user left an organization or was removed; not with a deleted account or organization.',
  'organization.invitation_created': 'An address was invited to an organization; `invitation_id` and `roles`.',
  'organization.invitation_accepted': 'A user accepted an invitation; organization.member_added follows.',
  'organization.invitation_declined': 'An invitation was declined.',
  'organization.invitation_revoked': 'An invitation was revoked.',
  'scim.user_created': 'An identity provider made a person; `organization_id` or `sso_provider_id`, and `user_name`.',
  'scim.user_updated': 'An identity provider changed a person.',
  'scim.user_deactivated': 'An identity provider says that a person is not active: sessions have ended.',
  'scim.user_deleted': 'An identity provider deleted a person.',
  'scim.group_created': 'An identity provider made a group; `group_id` and `display_name`.',
  'scim.group_updated': 'An identity provider changed a group or its members.',
  'scim.group_deleted': 'An identity provider deleted a group.',
  'settings.changed':
    'A set of settings was stored in the database; `version`, `names` and `changed_by`, and `restored` where it leads back.',
} as const;

export type EventType = keyof typeof eventTypes;

const names = new Set(Object.keys(eventTypes));
const families = new Set([...names].map((name) => `${name.split('.')[0]}.*`));

export const isEventPattern = (text: string): boolean => text === '*' || names.has(text) || families.has(text);

/** @param wanted patterns; the same rule as matches_event of migration 00012 */
export const matchesEvent = (wanted: readonly string[], type: EventType): boolean =>
  wanted.includes('*') || wanted.includes(type) || wanted.includes(`${type.split('.')[0]}.*`);
