import type { OauthClientRow } from '../../db/oauth-clients.js';
import { clientIdOf } from './client-id.js';
import type { ClientWithSecret } from './clients.js';

/** A client as RFC 7591 3.2.1 and supabase/auth show it. */
export function viewClient(client: OauthClientRow): Record<string, unknown> {
  return {
    client_id: client.id,
    client_type: client.client_type,
    redirect_uris: client.redirect_uris,
    token_endpoint_auth_method: client.auth_method,
    grant_types: client.grant_types,
    response_types: client.grant_types.includes('authorization_code') ? ['code'] : [],
    ...(client.name !== '' && { client_name: client.name }),
    ...(client.uri !== '' && { client_uri: client.uri }),
    ...(client.logo_uri !== '' && { logo_uri: client.logo_uri }),
    ...(client.scopes !== null && { scope: client.scopes.join(' ') }),
    ...(client.post_logout_redirect_uris.length > 0 && {
      post_logout_redirect_uris: client.post_logout_redirect_uris,
    }),
    ...(client.backchannel_logout_uri !== null && {
      backchannel_logout_uri: client.backchannel_logout_uri,
      backchannel_logout_session_required: client.backchannel_logout_session_required,
    }),
    ...(client.subject_type !== 'public' && { subject_type: client.subject_type }),
    ...(client.sector_identifier_uri !== null && { sector_identifier_uri: client.sector_identifier_uri }),
    ...(client.dpop_bound_access_tokens && { dpop_bound_access_tokens: true }),
    ...(client.role !== null && { role: client.role }),
    ...(client.resources.length > 0 && { resources: client.resources }),
    ...(client.jwks !== null && { jwks: client.jwks }),
    ...(client.jwks_uri !== null && { jwks_uri: client.jwks_uri }),
    ...(client.organization_id !== null && {
      organization_id: client.organization_id,
      organization_roles: client.org_roles,
    }),
    ...(client.refresh_ttl_seconds !== null && { refresh_token_ttl: client.refresh_ttl_seconds }),
    ...(client.url !== null && { client_id_metadata_document: client.url }),
    registration_type: client.registration,
    created_at: client.created_at,
    updated_at: client.updated_at,
  };
}

/** The same with its secret, which does not expire. */
export const viewClientWithSecret = ({ client, secret }: ClientWithSecret): Record<string, unknown> => ({
  ...viewClient(client),
  ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
});

/** A client as consent and grants name it. */
export const nameClient = (client: OauthClientRow) => {
  const { name, uri, logo_uri } = client;
  return { id: clientIdOf(client), name, uri, logo_uri };
};
