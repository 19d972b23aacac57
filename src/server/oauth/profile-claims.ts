/** What a client may learn of a user by its scopes (OpenID Connect Core 5.4). */
import type { OwnOrganizationRow } from '../../db/organizations.js';
import { isEmailProven, isPhoneProven, type UserRow } from '../../db/user-rows.js';

/** Clients link accounts by verified addresses, so only what was proven is verified. */
export const emailClaims = (user: Readonly<UserRow>) =>
  user.email ? { email: user.email, email_verified: isEmailProven(user) } : {};

export const phoneClaims = (user: Readonly<UserRow>) =>
  user.phone ? { phone_number: user.phone, phone_number_verified: isPhoneProven(user) } : {};

/** An organization, and the roles of the user in it. */
export type ToldOrganization = Pick<OwnOrganizationRow, 'id' | 'slug' | 'name' | 'roles'>;

/** @param organization null: none, of which nothing is said */
export const organizationClaims = (organization: ToldOrganization | null) =>
  organization === null
    ? {}
    : {
        org_id: organization.id,
        org_slug: organization.slug,
        org_name: organization.name,
        org_roles: organization.roles,
      };

/** Names come from user_metadata, else they are the address. */
export function profileClaims(user: Readonly<UserRow>) {
  const { user_metadata: metadata, email, phone } = user;
  const text = (key: string): string | undefined => {
    const value = metadata[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const name = text('name') ?? text('full_name') ?? email ?? phone ?? undefined;
  const picture = text('picture') ?? text('avatar_url');
  return {
    ...(name !== undefined && { name, preferred_username: text('preferred_username') ?? text('username') ?? name }),
    ...(picture !== undefined && { picture }),
    updated_at: Math.floor(Date.parse(user.updated_at) / 1000),
  };
}
