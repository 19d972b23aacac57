/** OAuth clients as the API shows them. */

export interface ShownClient {
  readonly client_id: string;
  readonly client_name?: string;
  readonly client_type: 'public' | 'confidential';
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: string;
  readonly grant_types: readonly string[];
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly scope?: string;
  readonly post_logout_redirect_uris?: readonly string[];
  readonly backchannel_logout_uri?: string;
  readonly refresh_token_ttl?: number;
  readonly jwks?: { readonly keys: readonly { readonly kid?: string }[] };
  readonly jwks_uri?: string;
  readonly organization_id?: string;
  /** Of the client itself, in its organization. */
  readonly organization_roles?: readonly string[];
  readonly client_id_metadata_document?: string;
  readonly registration_type: 'manual' | 'dynamic';
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ShownNewClient extends ShownClient {
  readonly client_secret?: string;
}

export interface ShownGrant {
  readonly user_id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly scopes: readonly string[];
  readonly granted_at: string;
}

export const nameOfClient = ({ client_name, client_id }: ShownClient): string => client_name || client_id;

/** What a new client may be. */
export type ClientKind = 'public' | 'confidential' | 'machine';
