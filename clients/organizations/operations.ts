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
  /** What it demands of the sessions that act for it. */
  policies: {
    /** Sessions that act for it need a second factor. */
    require_aal2: boolean;
    /** They need a sign-in at an identity provider of it. */
    require_sso: boolean;
    /** How many hours after its sign-in a session may act for it. */
    session_hours: number | null;
    /** Domains of addresses that may be invited and may join; empty: all. */
    allowed_domains: string[];
  };
  /** Its domains, by name. */
  domains: Array<{
    /** The domain, lower case. */
    domain: string;
    /** verified: its record was seen. */
    status: 'pending' | 'verified';
  }>;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
  /** How many members it may have; 0: no limit; null: AUTH_ORGANIZATIONS_MAX_MEMBERS. */
  max_members: number | null;
}

export interface CustomProvider {
  /** Id of the provider. */
  id: string;
  /** Protocol. */
  provider_type: 'oauth2' | 'oidc';
  /** Name in requests and identities: custom: and a name. */
  identifier: string;
  /** Name for people. */
  name: string;
  /** Client id at the provider. */
  client_id: string;
  /** Further client ids that ID tokens may be for. */
  acceptable_client_ids: string[];
  /** Scopes that are requested. */
  scopes: string[];
  /** PKCE (RFC 7636) is used. */
  pkce_enabled: boolean;
  /** Target → name of a claim of the provider, or a value that is no text. */
  attribute_mapping: Record<string, unknown>;
  /** Claims that are copied to custom_claims of the identity. */
  custom_claims_allowlist: string[];
  /** Parameters of the authorization request. */
  authorization_params: Record<string, unknown>;
  /** Users can sign in with it. */
  enabled: boolean;
  /** Users without an email address may sign in. */
  email_optional: boolean;
  /** The id_token grant does not compare the nonce. */
  skip_nonce_check: boolean;
  /** When it was added. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Issuer (oidc). */
  issuer?: string | undefined;
  /** Address of the discovery document (oidc). */
  discovery_url?: string | undefined;
  /** The discovery document as it was fetched (oidc). */
  discovery_document?: Record<string, unknown> | undefined;
  /** Authorization endpoint (oauth2). */
  authorization_url?: string | undefined;
  /** Token endpoint (oauth2). */
  token_url?: string | undefined;
  /** Endpoint of the profile (oauth2). */
  userinfo_url?: string | undefined;
  /** Address of the keys (oauth2). */
  jwks_uri?: string | undefined;
  /** The organization that it belongs to. */
  organization_id?: string | undefined;
  /** Of those who join the organization by a sign-in. */
  roles?: string[] | undefined;
  /** Other roles, by what the provider says. */
  role_mapping?: Array<{
    /** Name or FriendlyName of an attribute, or name of a claim. */
    attribute: string;
    /** One of its values. */
    value: string;
    /** Roles in place of those of the provider. */
    roles: string[];
  }> | undefined;
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

export interface GivableRole {
  /** Name of the role. */
  name: string;
  /** Note for people. */
  description: string;
  /** All that the role permits, sorted. */
  permissions: string[];
  /** The caller may give it to a member. */
  may_give: boolean;
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

export interface NewOauthClient {
  /** Id of the client. */
  client_id: string;
  /** Whether it can keep a secret. */
  client_type: 'public' | 'confidential';
  /** Where users may be sent back to. */
  redirect_uris: string[];
  /** How the client proves who it is. */
  token_endpoint_auth_method: string;
  /** What it may use the token endpoint for. */
  grant_types: string[];
  /** code; none where authorization_code is not among grant_types. */
  response_types: string[];
  /** Name for users. */
  client_name?: string | undefined;
  /** Home page. */
  client_uri?: string | undefined;
  /** Picture. */
  logo_uri?: string | undefined;
  /** The only scopes it may ask for, separated by spaces. */
  scope?: string | undefined;
  /** Where users may be sent back to after a logout. */
  post_logout_redirect_uris?: string[] | undefined;
  /** Where it hears of the end of its sessions. */
  backchannel_logout_uri?: string | undefined;
  /** Whether it needs sid, which it gets in any case. */
  backchannel_logout_session_required?: boolean | undefined;
  /** pairwise: clients of other sectors know users by other names. */
  subject_type?: string | undefined;
  /** Lists the redirect URIs of all clients of the sector. */
  sector_identifier_uri?: string | undefined;
  /** Its requests for tokens need a DPoP proof. */
  dpop_bound_access_tokens?: boolean | undefined;
  /** Keys by which it proves who it is. */
  jwks?: {
    keys?: Array<Record<string, unknown>> | undefined;
  } | undefined;
  /** Where it publishes them. */
  jwks_uri?: string | undefined;
  /** Role of the tokens that it gets for itself. */
  role?: string | undefined;
  /** Resources that it serves: it may introspect their tokens. */
  resources?: string[] | undefined;
  /** The only organization that it serves. */
  organization_id?: string | undefined;
  /** What it is in that organization when it gets a token for itself. */
  organization_roles?: string[] | undefined;
  /** Seconds for which it may refresh its tokens. */
  refresh_token_ttl?: number | undefined;
  /** Address of the document about the client, which is the id that it uses. */
  client_id_metadata_document?: string | undefined;
  /** dynamic: the client has registered itself. */
  registration_type: 'dynamic' | 'manual';
  /** When it was registered. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Of confidential clients; it is shown only once. */
  client_secret?: string | undefined;
  /** 0: it does not expire. */
  client_secret_expires_at?: number | undefined;
}

export interface NewScimToken {
  /** Id of the token. */
  id: string;
  /** Name for people. */
  name: string;
  /** When it was made. */
  created_at: string;
  /** When it expires; null: never. */
  expires_at: string | null;
  /** When it was used last, to the hour; null: never. */
  last_used_at: string | null;
  /** The token: lks_ and 43 characters. It is not shown again. */
  token: string;
}

export interface OauthClient {
  /** Id of the client. */
  client_id: string;
  /** Whether it can keep a secret. */
  client_type: 'public' | 'confidential';
  /** Where users may be sent back to. */
  redirect_uris: string[];
  /** How the client proves who it is. */
  token_endpoint_auth_method: string;
  /** What it may use the token endpoint for. */
  grant_types: string[];
  /** code; none where authorization_code is not among grant_types. */
  response_types: string[];
  /** Name for users. */
  client_name?: string | undefined;
  /** Home page. */
  client_uri?: string | undefined;
  /** Picture. */
  logo_uri?: string | undefined;
  /** The only scopes it may ask for, separated by spaces. */
  scope?: string | undefined;
  /** Where users may be sent back to after a logout. */
  post_logout_redirect_uris?: string[] | undefined;
  /** Where it hears of the end of its sessions. */
  backchannel_logout_uri?: string | undefined;
  /** Whether it needs sid, which it gets in any case. */
  backchannel_logout_session_required?: boolean | undefined;
  /** pairwise: clients of other sectors know users by other names. */
  subject_type?: string | undefined;
  /** Lists the redirect URIs of all clients of the sector. */
  sector_identifier_uri?: string | undefined;
  /** Its requests for tokens need a DPoP proof. */
  dpop_bound_access_tokens?: boolean | undefined;
  /** Keys by which it proves who it is. */
  jwks?: {
    keys?: Array<Record<string, unknown>> | undefined;
  } | undefined;
  /** Where it publishes them. */
  jwks_uri?: string | undefined;
  /** Role of the tokens that it gets for itself. */
  role?: string | undefined;
  /** Resources that it serves: it may introspect their tokens. */
  resources?: string[] | undefined;
  /** The only organization that it serves. */
  organization_id?: string | undefined;
  /** What it is in that organization when it gets a token for itself. */
  organization_roles?: string[] | undefined;
  /** Seconds for which it may refresh its tokens. */
  refresh_token_ttl?: number | undefined;
  /** Address of the document about the client, which is the id that it uses. */
  client_id_metadata_document?: string | undefined;
  /** dynamic: the client has registered itself. */
  registration_type: 'dynamic' | 'manual';
  /** When it was registered. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
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
  /** What it demands of the sessions that act for it. */
  policies: {
    /** Sessions that act for it need a second factor. */
    require_aal2: boolean;
    /** They need a sign-in at an identity provider of it. */
    require_sso: boolean;
    /** How many hours after its sign-in a session may act for it. */
    session_hours: number | null;
    /** Domains of addresses that may be invited and may join; empty: all. */
    allowed_domains: string[];
  };
  /** Its domains, by name. */
  domains: Array<{
    /** The domain, lower case. */
    domain: string;
    /** verified: its record was seen. */
    status: 'pending' | 'verified';
  }>;
  /** When it was created. */
  created_at: string;
  /** When it was changed last. */
  updated_at: string;
}

export interface OrganizationAuditEntry {
  /** Id of the entry. */
  id: string;
  /** Actor, action, log_type and traits. Which administrator acted is in the log of the installation only. */
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
  /** Who has proven an address of it joins at the next sign-in. */
  auto_join: boolean;
  /** Names of the roles of those who join so, sorted. */
  roles: string[];
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
  /** Id of the inviter; null: an administrator of the installation. */
  invited_by: string | null;
  /** When the address was invited. */
  created_at: string;
  /** Until when it can be accepted. */
  expires_at: string;
  /** It gives its roles now. false: its inviter may not give them any more, a role is gone, or the policies exclude the address; sent again, it counts with the rights of whoever sends it. */
  acceptable: boolean;
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

export type OrganizationProvider = SsoProvider | CustomProvider;

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
  /** Id of the inviter; null: an administrator of the installation. */
  invited_by: string | null;
  /** When the address was invited. */
  created_at: string;
  /** Until when it can be accepted. */
  expires_at: string;
  /** It gives its roles now. false: its inviter may not give them any more, a role is gone, or the policies exclude the address; sent again, it counts with the rights of whoever sends it. */
  acceptable: boolean;
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
  /** What it demands of the sessions that act for it. */
  policies: {
    /** Sessions that act for it need a second factor. */
    require_aal2: boolean;
    /** They need a sign-in at an identity provider of it. */
    require_sso: boolean;
    /** How many hours after its sign-in a session may act for it. */
    session_hours: number | null;
    /** Domains of addresses that may be invited and may join; empty: all. */
    allowed_domains: string[];
  };
  /** Its domains, by name. */
  domains: Array<{
    /** The domain, lower case. */
    domain: string;
    /** verified: its record was seen. */
    status: 'pending' | 'verified';
  }>;
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

export interface ScimGroupRoles {
  /** Name of the group. */
  group: string;
  /** Names of roles, sorted. */
  roles: string[];
}

export interface ScimGroupRolesList {
  group_roles: ScimGroupRoles[];
}

export interface ScimToken {
  /** Id of the token. */
  id: string;
  /** Name for people. */
  name: string;
  /** When it was made. */
  created_at: string;
  /** When it expires; null: never. */
  expires_at: string | null;
  /** When it was used last, to the hour; null: never. */
  last_used_at: string | null;
}

export interface ScimTokens {
  tokens: ScimToken[];
}

export interface SsoProvider {
  /** Id of the provider. */
  id: string;
  /** An id of your own. */
  resource_id?: string | undefined;
  /** True: sign-ins there are refused. */
  disabled: boolean | null;
  /** The organization that it belongs to. */
  organization_id?: string | undefined;
  /** Of those who join the organization by a sign-in. */
  roles?: string[] | undefined;
  /** Other roles, by what the provider says. */
  role_mapping?: Array<{
    /** Name or FriendlyName of an attribute, or name of a claim. */
    attribute: string;
    /** One of its values. */
    value: string;
    /** Roles in place of those of the provider. */
    roles: string[];
  }> | undefined;
  saml: {
    /** Entity id of the identity provider. */
    entity_id: string;
    /** Its metadata; not in lists. */
    metadata_xml?: string | undefined;
    /** Where its metadata is. */
    metadata_url?: string | undefined;
    /** Which attribute becomes which claim. */
    attribute_mapping: Record<string, unknown>;
    /** persistent, emailAddress, transient or unspecified. */
    name_id_format?: string | undefined;
    certificates: Array<{
      /** SHA-256 of the certificate. */
      fingerprint: string;
      /** When it ends. */
      not_after: string;
    }>;
    /** When the metadata ends; null: it does not say. */
    valid_until?: string | null | undefined;
    /** When the metadata was last read. */
    metadata_refreshed_at: string;
    /** Why it could not be read the last time; null: it could. */
    metadata_error?: string | null | undefined;
    /** Sign-ins may begin at the identity provider; default true. */
    idp_initiated?: boolean | undefined;
    /** Addresses of its domains sign in there only. */
    enforced?: boolean | undefined;
    /** The person has to sign in again there each time. */
    force_authn?: boolean | undefined;
    /** URI of the way to sign in that is asked for. */
    authn_context?: string | undefined;
  };
  domains: Array<{
    /** In lower case. */
    domain: string;
    /** Only where domains must be proven. */
    status?: 'pending' | 'verified' | undefined;
    /** What proves it, once the DNS has it; only where domains must be proven. */
    record?: {
      /** Name of the record. */
      name: string;
      type: 'TXT';
      /** Its text. */
      value: string;
    } | undefined;
  }>;
  /** When it was added. */
  created_at: string;
  /** When an administrator last changed it. */
  updated_at: string;
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
  /** What it demands of the sessions that act for it. */
  policies: {
    /** Sessions that act for it need a second factor. */
    require_aal2: boolean;
    /** They need a sign-in at an identity provider of it. */
    require_sso: boolean;
    /** How many hours after its sign-in a session may act for it. */
    session_hours: number | null;
    /** Domains of addresses that may be invited and may join; empty: all. */
    allowed_domains: string[];
  };
  /** Its domains, by name. */
  domains: Array<{
    /** The domain, lower case. */
    domain: string;
    /** verified: its record was seen. */
    status: 'pending' | 'verified';
  }>;
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
    /** require_aal2, require_sso, session_hours and allowed_domains of the organization; those that are absent stay. */
    policies?: Record<string, unknown> | undefined;
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
  /** Gives a member other roles (members:manage, and whatever the roles permit; a second factor to make an owner). */
  updateOrganizationMember(given: {
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    id: string;
    user_id: string;
  }): Promise<OrganizationMember>;
  /** Removes a member (members:manage); the caller itself leaves. */
  removeOrganizationMember(given: {
    id: string;
    user_id: string;
  }): Promise<void>;
  /** Lists the roles that members may have, and which of them the caller may give (members:read). */
  listOrganizationRoles(given: {
    id: string;
  }): Promise<{
    roles: GivableRole[];
  }>;
  /** Invites an address by mail, or up to 50 with a result for each (invitations:manage, members:manage, and whatever the roles permit). */
  inviteOrganizationMembers(given: {
    /** Email address; stored in lower case. */
    email?: string | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    /** Redirect target of links; must be allowed, else SITE_URL. Also accepted as a header of that name. */
    redirect_to?: string | undefined;
    /** In place of email and roles: up to 50 of them. */
    invitations?: Array<{
      email?: string | undefined;
      roles?: string[] | undefined;
      redirect_to?: string | undefined;
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
  /** Mails a pending invitation again, with a new link in place of the former (what inviting needs). */
  resendOrganizationInvitation(given: {
    /** Redirect target of links; must be allowed, else SITE_URL. Also accepted as a header of that name. */
    redirect_to?: string | undefined;
    id: string;
    invitation_id: string;
  }): Promise<OrganizationInvitation>;
  /** Revokes a pending invitation (invitations:manage). */
  revokeOrganizationInvitation(given: {
    id: string;
    invitation_id: string;
  }): Promise<void>;
  /** Lists the invitations of the proven address of the caller that can be accepted now, the newest first. */
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
    /** Default false. True: who has proven an address of the domain joins at the next sign-in. */
    auto_join?: boolean | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    id: string;
  }): Promise<OrganizationDomain>;
  /** Changes who joins by a domain (domains:manage, and what giving the roles needs). */
  updateOrganizationDomain(given: {
    /** Default false. True: who has proven an address of the domain joins at the next sign-in. */
    auto_join?: boolean | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    id: string;
    domain: string;
  }): Promise<OrganizationDomain>;
  /** Removes a domain (domains:manage). */
  removeOrganizationDomain(given: {
    id: string;
    domain: string;
  }): Promise<void>;
  /** Looks the record of a domain up (domains:manage). A domain is that of one organization only. */
  verifyOrganizationDomain(given: {
    id: string;
    domain: string;
  }): Promise<OrganizationDomain>;
  /** Lists the identity providers of an organization, those of SAML first, without their metadata and secrets (sso:manage). There are 10 at most, on one page. */
  listOrganizationSsoProviders(given: {
    id: string;
  }): Promise<{
    providers: OrganizationProvider[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Adds an identity provider of an organization: of SAML by its metadata, of OpenID Connect by its issuer (sso:manage, and whatever the roles permit that it gives). */
  createOrganizationSsoProvider(given: {
    /** Type of the code or link. */
    type?: string | undefined;
    /** SAML metadata of the identity provider. */
    metadata_xml?: string | undefined;
    /** An https URL at which the metadata is; it is read again from time to time. */
    metadata_url?: string | undefined;
    /** Domains of addresses whose people sign in there. */
    domains?: string[] | undefined;
    /** Target → name of a claim of the provider, or a value that is no text. */
    attribute_mapping?: Record<string, unknown> | undefined;
    /** persistent (default), emailAddress, transient or unspecified. */
    name_id_format?: string | undefined;
    /** True: no one can sign in there, and its sessions end. */
    disabled?: boolean | undefined;
    /** Default true. False: sign-ins cannot begin at the identity provider. */
    idp_initiated?: boolean | undefined;
    /** Default false. True: addresses of its domains sign in there only, and have no password, code or link here. */
    enforced?: boolean | undefined;
    /** Default false. True: the person has to sign in again there each time. */
    force_authn?: boolean | undefined;
    /** URI of the way to sign in that is asked for (AuthnContextClassRef). */
    authn_context?: string | undefined;
    /** Name for people. */
    name?: string | undefined;
    /** Client id at the provider. */
    client_id?: string | undefined;
    /** Client secret at the provider. It is stored encrypted and never returned. */
    client_secret?: string | undefined;
    /** Further client ids that ID tokens may be for. */
    acceptable_client_ids?: string[] | undefined;
    /** Scopes to request; openid is added for oidc. */
    scopes?: string[] | undefined;
    /** Claims that are copied to custom_claims of the identity. */
    custom_claims_allowlist?: string[] | undefined;
    /** Default true. False: the provider does not support PKCE (RFC 7636). */
    pkce_enabled?: boolean | undefined;
    /** Default true. False: it is not used. */
    enabled?: boolean | undefined;
    /** Parameters of the authorization request, all texts. */
    authorization_params?: Record<string, unknown> | undefined;
    /** Issuer of ID tokens; at /token, instead of provider. At /factors, the name an authenticator app shows. */
    issuer?: string | undefined;
    /** Address of the discovery document, if it is not at its usual place (oidc). */
    discovery_url?: string | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    /** In place of roles, those of people of whom an attribute has the value; of several entries all count. */
    role_mapping?: Array<{
      attribute?: string | undefined;
      value?: string | undefined;
      roles?: string[] | undefined;
    }> | undefined;
    id: string;
  }): Promise<OrganizationProvider>;
  /** Returns an identity provider of an organization (sso:manage). */
  getOrganizationSsoProvider(given: {
    id: string;
    provider_id: string;
  }): Promise<OrganizationProvider>;
  /** Changes an identity provider of an organization (sso:manage, and whatever the roles permit that it gives); fields that are absent stay, except name_id_format. */
  updateOrganizationSsoProvider(given: {
    /** SAML metadata of the identity provider. */
    metadata_xml?: string | undefined;
    /** An https URL at which the metadata is; it is read again from time to time. */
    metadata_url?: string | undefined;
    /** Domains of addresses whose people sign in there. */
    domains?: string[] | undefined;
    /** Target → name of a claim of the provider, or a value that is no text. */
    attribute_mapping?: Record<string, unknown> | undefined;
    /** persistent (default), emailAddress, transient or unspecified. */
    name_id_format?: string | undefined;
    /** True: no one can sign in there, and its sessions end. */
    disabled?: boolean | undefined;
    /** Default true. False: sign-ins cannot begin at the identity provider. */
    idp_initiated?: boolean | undefined;
    /** Default false. True: addresses of its domains sign in there only, and have no password, code or link here. */
    enforced?: boolean | undefined;
    /** Default false. True: the person has to sign in again there each time. */
    force_authn?: boolean | undefined;
    /** URI of the way to sign in that is asked for (AuthnContextClassRef). */
    authn_context?: string | undefined;
    /** Name for people. */
    name?: string | undefined;
    /** Client id at the provider. */
    client_id?: string | undefined;
    /** Client secret at the provider. It is stored encrypted and never returned. */
    client_secret?: string | undefined;
    /** Further client ids that ID tokens may be for. */
    acceptable_client_ids?: string[] | undefined;
    /** Scopes to request; openid is added for oidc. */
    scopes?: string[] | undefined;
    /** Claims that are copied to custom_claims of the identity. */
    custom_claims_allowlist?: string[] | undefined;
    /** Default true. False: the provider does not support PKCE (RFC 7636). */
    pkce_enabled?: boolean | undefined;
    /** Default true. False: it is not used. */
    enabled?: boolean | undefined;
    /** Parameters of the authorization request, all texts. */
    authorization_params?: Record<string, unknown> | undefined;
    /** Issuer of ID tokens; at /token, instead of provider. At /factors, the name an authenticator app shows. */
    issuer?: string | undefined;
    /** Address of the discovery document, if it is not at its usual place (oidc). */
    discovery_url?: string | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    /** In place of roles, those of people of whom an attribute has the value; of several entries all count. */
    role_mapping?: Array<{
      attribute?: string | undefined;
      value?: string | undefined;
      roles?: string[] | undefined;
    }> | undefined;
    id: string;
    provider_id: string;
  }): Promise<OrganizationProvider>;
  /** Deletes an identity provider of an organization, and ends the sessions of one of SAML (sso:manage). Accounts and members stay. */
  deleteOrganizationSsoProvider(given: {
    id: string;
    provider_id: string;
  }): Promise<OrganizationProvider>;
  /** Reads the metadata of an identity provider of an organization again (sso:manage). */
  refreshOrganizationSsoProvider(given: {
    id: string;
    provider_id: string;
  }): Promise<SsoProvider>;
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
  /** Adds a client that serves the organization only (clients:manage, and whatever its roles permit). */
  addOrganizationClient(given: {
    /** Up to 10 URIs that users may be sent back to; authorization_code needs one. An empty list is none. */
    redirect_uris?: string[] | undefined;
    /** public or confidential; follows from the method if absent. */
    client_type?: string | undefined;
    /** none, client_secret_basic, client_secret_post or private_key_jwt. */
    token_endpoint_auth_method?: string | undefined;
    /** authorization_code and refresh_token by default; client_credentials; urn:ietf:params:oauth:grant-type:device_code. */
    grant_types?: string[] | undefined;
    /** Name for users. */
    client_name?: string | undefined;
    /** Home page of the client. */
    client_uri?: string | undefined;
    /** Picture of the client. */
    logo_uri?: string | undefined;
    /** Scopes, separated by spaces. */
    scope?: string | undefined;
    /** Up to 10 URIs that users may be sent back to after a logout. */
    post_logout_redirect_uris?: string[] | undefined;
    /** Where the client hears of the end of its sessions: an https URL. */
    backchannel_logout_uri?: string | undefined;
    /** The client needs sid in logout tokens, which have it in any case. */
    backchannel_logout_session_required?: boolean | undefined;
    /** Default false. True: its requests for tokens need a DPoP proof (RFC 9449). */
    dpop_bound_access_tokens?: boolean | undefined;
    /** public or pairwise: who users are to the client. */
    subject_type?: string | undefined;
    /** An https URL with a JSON list of the redirect URIs of all clients of the sector. */
    sector_identifier_uri?: string | undefined;
    /** Public keys of the client (RFC 7517 5), 10 at most; without keys: none. */
    jwks?: Record<string, unknown> | undefined;
    /** Address of the keys: of a provider (oauth2), for information; of a client, those that it signs with. */
    jwks_uri?: string | undefined;
    /** What the client is in its organization when it gets a token for itself: 16 roles at most. */
    organization_roles?: string[] | undefined;
    id: string;
  }): Promise<NewOauthClient>;
  /** Lists the clients of an organization, the newest first (clients:manage). */
  listOrganizationClients(given: {
    id: string;
    /** Entries per answer; default 50. */
    limit?: number | undefined;
    /** next_cursor of the previous answer; without it, from the beginning. */
    cursor?: string | undefined;
  }): Promise<{
    clients: OauthClient[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Returns a client of an organization (clients:manage). */
  getOrganizationClient(given: {
    id: string;
    client_id: string;
  }): Promise<OauthClient>;
  /** Changes a client (clients:manage, and whatever its roles permit); fields that are absent stay. */
  updateOrganizationClient(given: {
    /** Up to 10 URIs that users may be sent back to; authorization_code needs one. An empty list is none. */
    redirect_uris?: string[] | undefined;
    /** public or confidential; follows from the method if absent. */
    client_type?: string | undefined;
    /** none, client_secret_basic, client_secret_post or private_key_jwt. */
    token_endpoint_auth_method?: string | undefined;
    /** authorization_code and refresh_token by default; client_credentials; urn:ietf:params:oauth:grant-type:device_code. */
    grant_types?: string[] | undefined;
    /** Name for users. */
    client_name?: string | undefined;
    /** Home page of the client. */
    client_uri?: string | undefined;
    /** Picture of the client. */
    logo_uri?: string | undefined;
    /** Scopes, separated by spaces. */
    scope?: string | undefined;
    /** Up to 10 URIs that users may be sent back to after a logout. */
    post_logout_redirect_uris?: string[] | undefined;
    /** Where the client hears of the end of its sessions: an https URL. */
    backchannel_logout_uri?: string | undefined;
    /** The client needs sid in logout tokens, which have it in any case. */
    backchannel_logout_session_required?: boolean | undefined;
    /** Default false. True: its requests for tokens need a DPoP proof (RFC 9449). */
    dpop_bound_access_tokens?: boolean | undefined;
    /** public or pairwise: who users are to the client. */
    subject_type?: string | undefined;
    /** An https URL with a JSON list of the redirect URIs of all clients of the sector. */
    sector_identifier_uri?: string | undefined;
    /** Public keys of the client (RFC 7517 5), 10 at most; without keys: none. */
    jwks?: Record<string, unknown> | undefined;
    /** Address of the keys: of a provider (oauth2), for information; of a client, those that it signs with. */
    jwks_uri?: string | undefined;
    /** What the client is in its organization when it gets a token for itself: 16 roles at most. */
    organization_roles?: string[] | undefined;
    id: string;
    client_id: string;
  }): Promise<OauthClient>;
  /** Deletes a client, and ends its sessions (clients:manage). */
  removeOrganizationClient(given: {
    id: string;
    client_id: string;
  }): Promise<void>;
  /** Gives a client a new secret; the old one ends at once (clients:manage, and whatever the roles of the client permit). */
  regenerateOrganizationClientSecret(given: {
    id: string;
    client_id: string;
  }): Promise<NewOauthClient>;
  /** Makes a token by which the identity provider of an organization provisions (scim:manage). Two at a time. */
  createOrganizationScimToken(given: {
    /** Name for people. */
    name?: string | undefined;
    /** When it expires (RFC 3339); absent: never. */
    expires_at?: string | undefined;
    id: string;
  }): Promise<NewScimToken>;
  /** Lists the SCIM tokens of an organization, oldest first (scim:manage). */
  listOrganizationScimTokens(given: {
    id: string;
  }): Promise<ScimTokens>;
  /** Ends a SCIM token at once (scim:manage). What it has provisioned stays. */
  deleteOrganizationScimToken(given: {
    id: string;
    token_id: string;
  }): Promise<void>;
  /** Lists the roles that members of provisioned groups get, by name of the group (scim:manage). */
  listOrganizationScimGroupRoles(given: {
    id: string;
  }): Promise<ScimGroupRolesList>;
  /** Says which roles the members of a group get (scim:manage, and whatever the roles permit). None: as removing them, for names that fit in no path. */
  putOrganizationScimGroupRoles(given: {
    /** Name of a group that an identity provider provisions. */
    group?: string | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    id: string;
  }): Promise<ScimGroupRoles>;
  /** Members of the group have no roles by it any more (scim:manage). */
  deleteOrganizationScimGroupRoles(given: {
    id: string;
    group: string;
  }): Promise<void>;
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
    body: ['name', 'slug', 'logo_url', 'metadata', 'policies'],
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
  listOrganizationRoles: {
    method: 'GET',
    path: '/organizations/{id}/roles',
    query: [],
    body: null,
  },
  inviteOrganizationMembers: {
    method: 'POST',
    path: '/organizations/{id}/invitations',
    query: ['redirect_to'],
    body: ['email', 'roles', 'redirect_to', 'invitations'],
  },
  listOrganizationInvitations: {
    method: 'GET',
    path: '/organizations/{id}/invitations',
    query: ['limit', 'cursor'],
    body: null,
  },
  resendOrganizationInvitation: {
    method: 'POST',
    path: '/organizations/{id}/invitations/{invitation_id}/resend',
    query: ['redirect_to'],
    body: ['redirect_to'],
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
    body: ['domain', 'auto_join', 'roles'],
  },
  updateOrganizationDomain: {
    method: 'PATCH',
    path: '/organizations/{id}/domains/{domain}',
    query: [],
    body: ['auto_join', 'roles'],
  },
  removeOrganizationDomain: {
    method: 'DELETE',
    path: '/organizations/{id}/domains/{domain}',
    query: [],
    body: null,
  },
  verifyOrganizationDomain: {
    method: 'POST',
    path: '/organizations/{id}/domains/{domain}/verify',
    query: [],
    body: null,
  },
  listOrganizationSsoProviders: {
    method: 'GET',
    path: '/organizations/{id}/sso',
    query: [],
    body: null,
  },
  createOrganizationSsoProvider: {
    method: 'POST',
    path: '/organizations/{id}/sso',
    query: [],
    body: ['type', 'metadata_xml', 'metadata_url', 'domains', 'attribute_mapping', 'name_id_format', 'disabled', 'idp_initiated', 'enforced', 'force_authn', 'authn_context', 'name', 'client_id', 'client_secret', 'acceptable_client_ids', 'scopes', 'custom_claims_allowlist', 'pkce_enabled', 'enabled', 'authorization_params', 'issuer', 'discovery_url', 'roles', 'role_mapping'],
  },
  getOrganizationSsoProvider: {
    method: 'GET',
    path: '/organizations/{id}/sso/{provider_id}',
    query: [],
    body: null,
  },
  updateOrganizationSsoProvider: {
    method: 'PUT',
    path: '/organizations/{id}/sso/{provider_id}',
    query: [],
    body: ['metadata_xml', 'metadata_url', 'domains', 'attribute_mapping', 'name_id_format', 'disabled', 'idp_initiated', 'enforced', 'force_authn', 'authn_context', 'name', 'client_id', 'client_secret', 'acceptable_client_ids', 'scopes', 'custom_claims_allowlist', 'pkce_enabled', 'enabled', 'authorization_params', 'issuer', 'discovery_url', 'roles', 'role_mapping'],
  },
  deleteOrganizationSsoProvider: {
    method: 'DELETE',
    path: '/organizations/{id}/sso/{provider_id}',
    query: [],
    body: null,
  },
  refreshOrganizationSsoProvider: {
    method: 'POST',
    path: '/organizations/{id}/sso/{provider_id}/refresh_metadata',
    query: [],
    body: null,
  },
  listOrganizationAudit: {
    method: 'GET',
    path: '/organizations/{id}/audit',
    query: ['limit', 'cursor'],
    body: null,
  },
  addOrganizationClient: {
    method: 'POST',
    path: '/organizations/{id}/clients',
    query: [],
    body: ['redirect_uris', 'client_type', 'token_endpoint_auth_method', 'grant_types', 'client_name', 'client_uri', 'logo_uri', 'scope', 'post_logout_redirect_uris', 'backchannel_logout_uri', 'backchannel_logout_session_required', 'dpop_bound_access_tokens', 'subject_type', 'sector_identifier_uri', 'jwks', 'jwks_uri', 'organization_roles'],
  },
  listOrganizationClients: {
    method: 'GET',
    path: '/organizations/{id}/clients',
    query: ['limit', 'cursor'],
    body: null,
  },
  getOrganizationClient: {
    method: 'GET',
    path: '/organizations/{id}/clients/{client_id}',
    query: [],
    body: null,
  },
  updateOrganizationClient: {
    method: 'PATCH',
    path: '/organizations/{id}/clients/{client_id}',
    query: [],
    body: ['redirect_uris', 'client_type', 'token_endpoint_auth_method', 'grant_types', 'client_name', 'client_uri', 'logo_uri', 'scope', 'post_logout_redirect_uris', 'backchannel_logout_uri', 'backchannel_logout_session_required', 'dpop_bound_access_tokens', 'subject_type', 'sector_identifier_uri', 'jwks', 'jwks_uri', 'organization_roles'],
  },
  removeOrganizationClient: {
    method: 'DELETE',
    path: '/organizations/{id}/clients/{client_id}',
    query: [],
    body: null,
  },
  regenerateOrganizationClientSecret: {
    method: 'POST',
    path: '/organizations/{id}/clients/{client_id}/regenerate_secret',
    query: [],
    body: null,
  },
  createOrganizationScimToken: {
    method: 'POST',
    path: '/organizations/{id}/scim_tokens',
    query: [],
    body: ['name', 'expires_at'],
  },
  listOrganizationScimTokens: {
    method: 'GET',
    path: '/organizations/{id}/scim_tokens',
    query: [],
    body: null,
  },
  deleteOrganizationScimToken: {
    method: 'DELETE',
    path: '/organizations/{id}/scim_tokens/{token_id}',
    query: [],
    body: null,
  },
  listOrganizationScimGroupRoles: {
    method: 'GET',
    path: '/organizations/{id}/scim_group_roles',
    query: [],
    body: null,
  },
  putOrganizationScimGroupRoles: {
    method: 'PUT',
    path: '/organizations/{id}/scim_group_roles',
    query: [],
    body: ['group', 'roles'],
  },
  deleteOrganizationScimGroupRoles: {
    method: 'DELETE',
    path: '/organizations/{id}/scim_group_roles/{group}',
    query: [],
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
  /** Removes a role that is not in use, or that replace_with takes the place of. */
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
    /** require_aal2, require_sso, session_hours and allowed_domains of the organization; those that are absent stay. */
    policies?: Record<string, unknown> | undefined;
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
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    id: string;
  }): Promise<OrganizationMember>;
  /** Gives a member other roles. */
  adminUpdateOrganizationMember(given: {
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    id: string;
    user_id: string;
  }): Promise<OrganizationMember>;
  /** Removes a member. */
  adminRemoveOrganizationMember(given: {
    id: string;
    user_id: string;
  }): Promise<void>;
  /** Invites an address by mail, or up to 50 with a result for each. The mail names no inviter. */
  adminInviteOrganizationMembers(given: {
    /** Email address; stored in lower case. */
    email?: string | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    /** Redirect target of links; must be allowed, else SITE_URL. Also accepted as a header of that name. */
    redirect_to?: string | undefined;
    /** In place of email and roles: up to 50 of them. */
    invitations?: Array<{
      email?: string | undefined;
      roles?: string[] | undefined;
      redirect_to?: string | undefined;
    }> | undefined;
    id: string;
  }): Promise<{
    invitations: InvitationResult[];
  } | OrganizationInvitation>;
  /** Lists pending invitations, the newest first. */
  adminListOrganizationInvitations(given: {
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
  /** Mails a pending invitation again, with a new link in place of the former. It has no inviter from then on. */
  adminResendOrganizationInvitation(given: {
    /** Redirect target of links; must be allowed, else SITE_URL. Also accepted as a header of that name. */
    redirect_to?: string | undefined;
    id: string;
    invitation_id: string;
  }): Promise<OrganizationInvitation>;
  /** Revokes a pending invitation. */
  adminRevokeOrganizationInvitation(given: {
    id: string;
    invitation_id: string;
  }): Promise<void>;
  /** Lists the domains of an organization with their records. There are 50 at most, on one page. */
  adminListOrganizationDomains(given: {
    id: string;
  }): Promise<{
    domains: OrganizationDomain[];
    /** `cursor` of the next request; null: there is no more. */
    next_cursor: string | null;
  }>;
  /** Adds a domain, which with `verified` counts without a record. One that is there is answered again. */
  adminAddOrganizationDomain(given: {
    /** Domain of the address, which has an identity provider. */
    domain?: string | undefined;
    /** Default false. True: who has proven an address of the domain joins at the next sign-in. */
    auto_join?: boolean | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    /** True: the domain counts without a record; false: it is pending again. */
    verified?: boolean | undefined;
    id: string;
  }): Promise<OrganizationDomain>;
  /** Changes who joins by a domain, and whether it counts. */
  adminUpdateOrganizationDomain(given: {
    /** Default false. True: who has proven an address of the domain joins at the next sign-in. */
    auto_join?: boolean | undefined;
    /** Names of roles, 16 at most: of the member, or of those who join by a domain or at the provider. */
    roles?: string[] | undefined;
    /** True: the domain counts without a record; false: it is pending again. */
    verified?: boolean | undefined;
    id: string;
    domain: string;
  }): Promise<OrganizationDomain>;
  /** Removes a domain. */
  adminRemoveOrganizationDomain(given: {
    id: string;
    domain: string;
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
    body: ['name', 'slug', 'logo_url', 'metadata', 'policies', 'max_members'],
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
  adminInviteOrganizationMembers: {
    method: 'POST',
    path: '/admin/organizations/{id}/invitations',
    query: ['redirect_to'],
    body: ['email', 'roles', 'redirect_to', 'invitations'],
  },
  adminListOrganizationInvitations: {
    method: 'GET',
    path: '/admin/organizations/{id}/invitations',
    query: ['limit', 'cursor'],
    body: null,
  },
  adminResendOrganizationInvitation: {
    method: 'POST',
    path: '/admin/organizations/{id}/invitations/{invitation_id}/resend',
    query: ['redirect_to'],
    body: ['redirect_to'],
  },
  adminRevokeOrganizationInvitation: {
    method: 'DELETE',
    path: '/admin/organizations/{id}/invitations/{invitation_id}',
    query: [],
    body: null,
  },
  adminListOrganizationDomains: {
    method: 'GET',
    path: '/admin/organizations/{id}/domains',
    query: [],
    body: null,
  },
  adminAddOrganizationDomain: {
    method: 'POST',
    path: '/admin/organizations/{id}/domains',
    query: [],
    body: ['domain', 'auto_join', 'roles', 'verified'],
  },
  adminUpdateOrganizationDomain: {
    method: 'PATCH',
    path: '/admin/organizations/{id}/domains/{domain}',
    query: [],
    body: ['auto_join', 'roles', 'verified'],
  },
  adminRemoveOrganizationDomain: {
    method: 'DELETE',
    path: '/admin/organizations/{id}/domains/{domain}',
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
