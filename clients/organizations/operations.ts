/** Generated from the description of the API by `npm run docs`; do not edit by hand. */

/** One endpoint: where the members of what is given go. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  /** Null: none is sent. */
  readonly body: readonly string[] | null;
}

export interface AdminOrganization {
  /** Id of the organization. */
  id: string;
  /** Name for people. */
  name: string;
  /** Unique; for addresses. */
  slug: string;
  /** Address of a picture (https). */
  logo_url: string | null;
  /** What the application keeps with it. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** How many members it may have; 0: no limit; null: AUTH_ORGANIZATIONS_MAX_MEMBERS. */
  max_members: number | null;
}

export interface Factor {
  /** Id of the factor. */
  id: string;
  /** Its name; absent if empty. */
  friendly_name?: string | undefined;
  /** Kind of the factor. */
  factor_type: 'totp' | 'phone' | 'webauthn' | 'recovery_code';
  /** Only verified factors count. */
  status: 'unverified' | 'verified';
  /** Phone number without plus; empty for other kinds. */
  phone: string;
  /** When it was last challenged. */
  last_challenged_at: string | null;
  /** Model of the authenticator. */
  web_authn_aaguid?: string | undefined;
  /** When it was enrolled. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

export interface Identity {
  /** Id of the identity. */
  identity_id: string;
  /** The user's id at the provider. */
  id: string;
  /** Id of the user. */
  user_id: string;
  /** Claims of the provider. */
  identity_data?: Record<string, unknown> | undefined;
  /** email, phone, or the name of a provider. */
  provider: string;
  /** When it was last used. */
  last_sign_in_at?: string | undefined;
  /** When it was linked. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Email address at the provider. */
  email?: string | undefined;
}

export interface InvitationResult {
  /** The address, as far as it was given. */
  email: string;
  invitation?: OrganizationInvitation | undefined;
  /** Why the address was not invited. */
  error_code?: string | undefined;
  /** The same for people. */
  msg?: string | undefined;
}

export interface Organization {
  /** Id of the organization. */
  id: string;
  /** Name for people. */
  name: string;
  /** Unique; for addresses. */
  slug: string;
  /** Address of a picture (https). */
  logo_url: string | null;
  /** What the application keeps with it. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

export interface OrganizationAuditEntry {
  /** Id of the entry. */
  id: string;
  /** Actor, action, log_type and traits. Administrators are told apart in the log of the installation only. */
  payload: Record<string, unknown>;
  /** When it happened. */
  created_at: string;
}

export interface OrganizationDomain {
  /** The domain, lower case. */
  domain: string;
  /** verified: its record was seen. */
  status: 'pending' | 'verified';
  /** What to put up in the DNS. */
  record: {
    /** Name of the record. */
    name: string;
    /** Type of the record. */
    type: 'TXT';
    /** Value of the record. */
    value: string;
  };
  /** When it was added. */
  created_at: string;
  /** When its record was seen first. */
  verified_at: string | null;
}

export interface OrganizationInvitation {
  /** Id of the invitation. */
  id: string;
  /** Id of the organization. */
  organization_id: string;
  /** The address that is invited. */
  email: string;
  /** Names of roles, sorted. */
  roles: string[];
  /** Id of the inviter. */
  invited_by: string;
  /** When the address was invited. */
  created_at: string;
  /** Until when it can be accepted. */
  expires_at: string;
}

export interface OrganizationMember {
  user: {
    /** Id of the user. */
    id: string;
    /** Email address. */
    email: string | null;
    /** Phone number. */
    phone: string | null;
    /** Name, of user_metadata. */
    name: string | null;
    /** Address of a picture, of user_metadata. */
    avatar_url: string | null;
  };
  /** Names of roles, sorted. */
  roles: string[];
  /** When the user joined. */
  joined_at: string;
  /** How the user joined. */
  via: 'invitation' | 'domain' | 'sso' | 'scim' | 'admin' | 'creation';
}

export interface OrganizationRole {
  /** Name of the role. */
  name: string;
  /** Note for people. */
  description: string;
  /** All that the role permits, sorted. */
  permissions: string[];
  /** It cannot be removed. */
  built_in: boolean;
}

export interface OwnInvitation {
  /** Id of the invitation. */
  id: string;
  /** Id of the organization. */
  organization_id: string;
  /** The address that is invited. */
  email: string;
  /** Names of roles, sorted. */
  roles: string[];
  /** Id of the inviter. */
  invited_by: string;
  /** When the address was invited. */
  created_at: string;
  /** Until when it can be accepted. */
  expires_at: string;
  organization: {
    /** Id of the organization. */
    id: string;
    /** Name for people. */
    name: string;
    /** Unique; for addresses. */
    slug: string;
    /** Address of a picture (https). */
    logo_url: string | null;
  };
}

export interface OwnOrganization {
  /** Id of the organization. */
  id: string;
  /** Name for people. */
  name: string;
  /** Unique; for addresses. */
  slug: string;
  /** Address of a picture (https). */
  logo_url: string | null;
  /** What the application keeps with it. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** Names of roles, sorted. */
  roles: string[];
  /** When the caller joined. */
  joined_at: string;
  /** The session acts for it. */
  is_active: boolean;
}

export interface TokenResponse {
  /** JWT (RFC 7519), HS256. */
  access_token: string;
  token_type: 'bearer';
  /** Lifetime of the access token in seconds. */
  expires_in: number;
  /** Expiry of the access token in Unix time. */
  expires_at: number;
  /** Opaque; can be used once. */
  refresh_token: string;
  user: User;
  /** Only of /verify by email: the verified type. */
  type?: string | undefined;
  /** Only of the password grant: why the current rules would reject the password, or null. */
  weak_password?: WeakPassword | null | undefined;
  /** Only of a verification that trusts the device. */
  trusted_device_token?: string | undefined;
  /** The provider's access token, if there is one. */
  provider_token?: string | null | undefined;
  /** The provider's refresh token, if there is one. */
  provider_refresh_token?: string | null | undefined;
}

export interface User {
  /** Id of the user. */
  id: string;
  /** Audience. */
  aud: string;
  /** Role in access tokens. */
  role: string;
  /** Email address; empty without one. */
  email: string;
  /** When the email address was confirmed. */
  email_confirmed_at?: string | undefined;
  /** When an invitation was sent. */
  invited_at?: string | undefined;
  /** Phone number without plus; empty without one. */
  phone: string;
  /** When the phone number was confirmed. */
  phone_confirmed_at?: string | undefined;
  /** When a confirmation was last sent. */
  confirmation_sent_at?: string | undefined;
  /** The first of email_confirmed_at and phone_confirmed_at. */
  confirmed_at?: string | undefined;
  /** When a recovery or sign-in link was last sent. */
  recovery_sent_at?: string | undefined;
  /** Email address that is not confirmed yet. */
  new_email?: string | undefined;
  /** When the change of email was requested. */
  email_change_sent_at?: string | undefined;
  /** Phone number that is not confirmed yet. */
  new_phone?: string | undefined;
  /** When the change of phone was requested. */
  phone_change_sent_at?: string | undefined;
  /** When a nonce was last sent. */
  reauthentication_sent_at?: string | undefined;
  /** When the user last signed in. */
  last_sign_in_at?: string | undefined;
  /** Set by the server and administrators: provider, providers and others. */
  app_metadata: Record<string, unknown>;
  /** Set by the user. */
  user_metadata: Record<string, unknown>;
  /** Second factors; absent without any. */
  factors?: Factor[] | undefined;
  /** Linked identities. */
  identities: Identity[];
  /** When the user was created. */
  created_at: string;
  /** When the user last changed. */
  updated_at: string;
  /** End of the ban. */
  banned_until?: string | undefined;
  /** When the user was soft-deleted. */
  deleted_at?: string | undefined;
  /** Signed up without email and phone. */
  is_anonymous: boolean;
}

export interface UserOrganization {
  /** Id of the organization. */
  id: string;
  /** Name for people. */
  name: string;
  /** Unique; for addresses. */
  slug: string;
  /** Address of a picture (https). */
  logo_url: string | null;
  /** What the application keeps with it. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** How many members it may have; 0: no limit; null: AUTH_ORGANIZATIONS_MAX_MEMBERS. */
  max_members: number | null;
  /** Names of roles, sorted. */
  roles: string[];
  /** When the user joined. */
  joined_at: string;
  /** How the user joined. */
  via: 'invitation' | 'domain' | 'sso' | 'scim' | 'admin' | 'creation';
}

export interface WeakPassword {
  /** Human-readable message. */
  message?: string | undefined;
  reasons: Array<'length' | 'characters' | 'pwned' | 'common'>;
}

/** Endpoints for users. */
export interface UserOperations {
  /** Creates an organization, whose owner the caller becomes. */
  createOrganization(given?: {
    /** Name for people. */
    name?: string | undefined;
    /** Of an organization: 3 to 63 of a to z, 0 to 9 and -; made from the name if absent. */
    slug?: string | undefined;
    /** Address of a picture: an https URL; empty: none. */
    logo_url?: string | undefined;
    /** What the application keeps with the organization; at most 8 kB as JSON. */
    metadata?: Record<string, unknown> | undefined;
  }): Promise<Organization>;
  /** Lists the organizations of the caller, the newest membership first. */
  listOrganizations(given?: {
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    organizations: OwnOrganization[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Returns an organization of the caller (organization:read). */
  getOrganization(given: {
    id: string;
  }): Promise<Organization>;
  /** Changes an organization (organization:manage); fields that are absent stay. */
  updateOrganization(given: {
    /** Name for people. */
    name?: string | undefined;
    /** Of an organization: 3 to 63 of a to z, 0 to 9 and -; made from the name if absent. */
    slug?: string | undefined;
    /** Address of a picture: an https URL; empty: none. */
    logo_url?: string | undefined;
    /** What the application keeps with the organization; at most 8 kB as JSON. */
    metadata?: Record<string, unknown> | undefined;
    id: string;
  }): Promise<Organization>;
  /** Deletes an organization whose slug the body repeats (organization:delete). Accounts stay. */
  deleteOrganization(given: {
    /** Of an organization: 3 to 63 of a to z, 0 to 9 and -; made from the name if absent. */
    slug?: string | undefined;
    id: string;
  }): Promise<void>;
  /** Makes an organization the active one of the session, and renews its tokens. */
  activateOrganization(given: {
    id: string;
  }): Promise<TokenResponse>;
  /** Ends that the session acts for an organization, and renews its tokens. */
  deactivateOrganization(): Promise<TokenResponse>;
  /** Lists members in the order in which they joined, or those that a search finds (members:read). */
  listOrganizationMembers(given: {
    id: string;
    /** Only members whose address, number or name begins so. */
    search?: string | undefined;
    /** Only members with this role. */
    role?: string | undefined;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    members: OrganizationMember[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Gives a member other roles (members:manage, and whatever the roles permit). */
  updateOrganizationMember(given: {
    /** Names of roles of the member, 16 at most. */
    roles?: string[] | undefined;
    id: string;
    user_id: string;
  }): Promise<OrganizationMember>;
  /** Removes a member (members:manage); the caller itself leaves. */
  removeOrganizationMember(given: {
    id: string;
    user_id: string;
  }): Promise<void>;
  /** Invites an address, or up to 50 with a result for each (invitations:manage, and whatever the roles permit). */
  inviteOrganizationMembers(given: {
    /** Email address; stored in lower case. */
    email?: string | undefined;
    /** Names of roles of the member, 16 at most. */
    roles?: string[] | undefined;
    /** In place of email and roles: up to 50 of them. */
    invitations?: Array<{
      email?: string | undefined;
      roles?: string[] | undefined;
    }> | undefined;
    id: string;
  }): Promise<{
    invitations: InvitationResult[];
  } | OrganizationInvitation>;
  /** Lists pending invitations, the newest first (invitations:manage). */
  listOrganizationInvitations(given: {
    id: string;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    invitations: OrganizationInvitation[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Revokes a pending invitation (invitations:manage). */
  revokeOrganizationInvitation(given: {
    id: string;
    invitation_id: string;
  }): Promise<void>;
  /** Lists pending invitations of the confirmed address of the caller, the newest first. */
  listInvitations(given?: {
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    invitations: OwnInvitation[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Joins the organization of an invitation; accepting again answers the membership again. */
  acceptInvitation(given: {
    invitation_id: string;
  }): Promise<OrganizationMember>;
  /** Declines an invitation. */
  declineInvitation(given: {
    invitation_id: string;
  }): Promise<Record<string, unknown>>;
  /** Lists the domains of an organization with their records (domains:manage). There are 50 at most, on one page. */
  listOrganizationDomains(given: {
    id: string;
  }): Promise<{
    domains: OrganizationDomain[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Adds a domain, which counts once its record is seen (domains:manage). One that is there is answered again. */
  addOrganizationDomain(given: {
    /** Domain of the address, which has an identity provider. */
    domain?: string | undefined;
    id: string;
  }): Promise<OrganizationDomain>;
  /** Looks the record of a domain up (domains:manage). A domain is that of one organization only. */
  verifyOrganizationDomain(given: {
    id: string;
    domain: string;
  }): Promise<OrganizationDomain>;
  /** Removes a domain (domains:manage). */
  removeOrganizationDomain(given: {
    id: string;
    domain: string;
  }): Promise<void>;
  /** Lists the audit entries of an organization, the newest first (audit:read). */
  listOrganizationAudit(given: {
    id: string;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    entries: OrganizationAuditEntry[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
}

export const userOperations: Readonly<Record<keyof UserOperations, Operation>> = {
  createOrganization: {
    method: 'POST',
    path: '/organizations',
    query: [],
    body: ['name', 'slug', 'logo_url', 'metadata'],
  },
  listOrganizations: {
    method: 'GET',
    path: '/organizations',
    query: ['limit', 'cursor'],
    body: null,
  },
  getOrganization: {
    method: 'GET',
    path: '/organizations/{id}',
    query: [],
    body: null,
  },
  updateOrganization: {
    method: 'PATCH',
    path: '/organizations/{id}',
    query: [],
    body: ['name', 'slug', 'logo_url', 'metadata'],
  },
  deleteOrganization: {
    method: 'DELETE',
    path: '/organizations/{id}',
    query: [],
    body: ['slug'],
  },
  activateOrganization: {
    method: 'POST',
    path: '/organizations/{id}/activate',
    query: [],
    body: null,
  },
  deactivateOrganization: {
    method: 'DELETE',
    path: '/organizations/active',
    query: [],
    body: null,
  },
  listOrganizationMembers: {
    method: 'GET',
    path: '/organizations/{id}/members',
    query: ['search', 'role', 'limit', 'cursor'],
    body: null,
  },
  updateOrganizationMember: {
    method: 'PATCH',
    path: '/organizations/{id}/members/{user_id}',
    query: [],
    body: ['roles'],
  },
  removeOrganizationMember: {
    method: 'DELETE',
    path: '/organizations/{id}/members/{user_id}',
    query: [],
    body: null,
  },
  inviteOrganizationMembers: {
    method: 'POST',
    path: '/organizations/{id}/invitations',
    query: [],
    body: ['email', 'roles', 'invitations'],
  },
  listOrganizationInvitations: {
    method: 'GET',
    path: '/organizations/{id}/invitations',
    query: ['limit', 'cursor'],
    body: null,
  },
  revokeOrganizationInvitation: {
    method: 'DELETE',
    path: '/organizations/{id}/invitations/{invitation_id}',
    query: [],
    body: null,
  },
  listInvitations: {
    method: 'GET',
    path: '/invitations',
    query: ['limit', 'cursor'],
    body: null,
  },
  acceptInvitation: {
    method: 'POST',
    path: '/invitations/{invitation_id}/accept',
    query: [],
    body: null,
  },
  declineInvitation: {
    method: 'POST',
    path: '/invitations/{invitation_id}/decline',
    query: [],
    body: null,
  },
  listOrganizationDomains: {
    method: 'GET',
    path: '/organizations/{id}/domains',
    query: [],
    body: null,
  },
  addOrganizationDomain: {
    method: 'POST',
    path: '/organizations/{id}/domains',
    query: [],
    body: ['domain'],
  },
  verifyOrganizationDomain: {
    method: 'POST',
    path: '/organizations/{id}/domains/{domain}/verify',
    query: [],
    body: null,
  },
  removeOrganizationDomain: {
    method: 'DELETE',
    path: '/organizations/{id}/domains/{domain}',
    query: [],
    body: null,
  },
  listOrganizationAudit: {
    method: 'GET',
    path: '/organizations/{id}/audit',
    query: ['limit', 'cursor'],
    body: null,
  },
};

/** Endpoints for administrators. */
export interface AdminOperations {
  /** Lists the roles of organizations, built-in ones first. */
  adminListOrganizationRoles(): Promise<{
    roles: OrganizationRole[];
  }>;
  /** Adds a role, which all organizations have from then on. */
  adminCreateOrganizationRole(given?: {
    /** Name for people. */
    name?: string | undefined;
    /** Note for people; at most 500 characters. */
    description?: string | undefined;
    /** What the role permits. */
    permissions?: string[] | undefined;
  }): Promise<OrganizationRole>;
  /** Changes a role; fields that are absent stay. admin and member keep what they are built to permit. */
  adminUpdateOrganizationRole(given: {
    /** Note for people; at most 500 characters. */
    description?: string | undefined;
    /** What the role permits. */
    permissions?: string[] | undefined;
    name: string;
  }): Promise<OrganizationRole>;
  /** Removes a role that no member has, or that replace_with takes the place of. */
  adminDeleteOrganizationRole(given: {
    name: string;
    /** The role that members get in its place. */
    replace_with?: string | undefined;
  }): Promise<void>;
  /** Lists organizations, newest first, or those that a search finds. */
  adminListOrganizations(given?: {
    /** Only those whose slug or name begins so. */
    search?: string | undefined;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    organizations: AdminOrganization[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Creates an organization with its owner. */
  adminCreateOrganization(given?: {
    /** Name for people. */
    name?: string | undefined;
    /** Of an organization: 3 to 63 of a to z, 0 to 9 and -; made from the name if absent. */
    slug?: string | undefined;
    /** Address of a picture: an https URL; empty: none. */
    logo_url?: string | undefined;
    /** What the application keeps with the organization; at most 8 kB as JSON. */
    metadata?: Record<string, unknown> | undefined;
    /** Id of the user who becomes the owner. */
    owner_id?: string | undefined;
    /** How many members the organization may have; 0: no limit; -1: AUTH_ORGANIZATIONS_MAX_MEMBERS. */
    max_members?: number | undefined;
  }): Promise<AdminOrganization>;
  /** Returns an organization. */
  adminGetOrganization(given: {
    id: string;
  }): Promise<AdminOrganization>;
  /** Changes an organization; fields that are absent stay. */
  adminUpdateOrganization(given: {
    /** Name for people. */
    name?: string | undefined;
    /** Of an organization: 3 to 63 of a to z, 0 to 9 and -; made from the name if absent. */
    slug?: string | undefined;
    /** Address of a picture: an https URL; empty: none. */
    logo_url?: string | undefined;
    /** What the application keeps with the organization; at most 8 kB as JSON. */
    metadata?: Record<string, unknown> | undefined;
    /** How many members the organization may have; 0: no limit; -1: AUTH_ORGANIZATIONS_MAX_MEMBERS. */
    max_members?: number | undefined;
    id: string;
  }): Promise<AdminOrganization>;
  /** Deletes an organization. Accounts stay. */
  adminDeleteOrganization(given: {
    id: string;
  }): Promise<void>;
  /** Lists members in the order in which they joined, or those that a search finds. */
  adminListOrganizationMembers(given: {
    id: string;
    /** Only members whose address, number or name begins so. */
    search?: string | undefined;
    /** Only members with this role. */
    role?: string | undefined;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    members: OrganizationMember[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Adds a member, without an invitation. */
  adminAddOrganizationMember(given: {
    /** Id of the user who becomes a member. */
    user_id?: string | undefined;
    /** Names of roles of the member, 16 at most. */
    roles?: string[] | undefined;
    id: string;
  }): Promise<OrganizationMember>;
  /** Gives a member other roles. */
  adminUpdateOrganizationMember(given: {
    /** Names of roles of the member, 16 at most. */
    roles?: string[] | undefined;
    id: string;
    user_id: string;
  }): Promise<OrganizationMember>;
  /** Removes a member. */
  adminRemoveOrganizationMember(given: {
    id: string;
    user_id: string;
  }): Promise<void>;
  /** Lists the organizations of a user, the newest membership first. */
  adminListUserOrganizations(given: {
    user_id: string;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    organizations: UserOrganization[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
}

export const adminOperations: Readonly<Record<keyof AdminOperations, Operation>> = {
  adminListOrganizationRoles: {
    method: 'GET',
    path: '/admin/organization-roles',
    query: [],
    body: null,
  },
  adminCreateOrganizationRole: {
    method: 'POST',
    path: '/admin/organization-roles',
    query: [],
    body: ['name', 'description', 'permissions'],
  },
  adminUpdateOrganizationRole: {
    method: 'PUT',
    path: '/admin/organization-roles/{name}',
    query: [],
    body: ['description', 'permissions'],
  },
  adminDeleteOrganizationRole: {
    method: 'DELETE',
    path: '/admin/organization-roles/{name}',
    query: ['replace_with'],
    body: null,
  },
  adminListOrganizations: {
    method: 'GET',
    path: '/admin/organizations',
    query: ['search', 'limit', 'cursor'],
    body: null,
  },
  adminCreateOrganization: {
    method: 'POST',
    path: '/admin/organizations',
    query: [],
    body: ['name', 'slug', 'logo_url', 'metadata', 'owner_id', 'max_members'],
  },
  adminGetOrganization: {
    method: 'GET',
    path: '/admin/organizations/{id}',
    query: [],
    body: null,
  },
  adminUpdateOrganization: {
    method: 'PUT',
    path: '/admin/organizations/{id}',
    query: [],
    body: ['name', 'slug', 'logo_url', 'metadata', 'max_members'],
  },
  adminDeleteOrganization: {
    method: 'DELETE',
    path: '/admin/organizations/{id}',
    query: [],
    body: null,
  },
  adminListOrganizationMembers: {
    method: 'GET',
    path: '/admin/organizations/{id}/members',
    query: ['search', 'role', 'limit', 'cursor'],
    body: null,
  },
  adminAddOrganizationMember: {
    method: 'POST',
    path: '/admin/organizations/{id}/members',
    query: [],
    body: ['user_id', 'roles'],
  },
  adminUpdateOrganizationMember: {
    method: 'PATCH',
    path: '/admin/organizations/{id}/members/{user_id}',
    query: [],
    body: ['roles'],
  },
  adminRemoveOrganizationMember: {
    method: 'DELETE',
    path: '/admin/organizations/{id}/members/{user_id}',
    query: [],
    body: null,
  },
  adminListUserOrganizations: {
    method: 'GET',
    path: '/admin/users/{user_id}/organizations',
    query: ['limit', 'cursor'],
    body: null,
  },
};
