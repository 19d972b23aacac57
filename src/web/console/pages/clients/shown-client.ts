/** OAuth clients as the API shows them, and what a form says of one. */
import { linesOf } from '../webhooks/shown-webhook.js';

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

/** Only the form of a new client has a type. */
export function readClientForm(form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  return {
    redirect_uris: linesOf(form, 'redirect_uris'),
    client_name: text('client_name'),
    client_uri: text('client_uri'),
    scope: text('scope'),
    post_logout_redirect_uris: linesOf(form, 'post_logout_redirect_uris'),
    ...(form.get('client_type') !== null && { client_type: text('client_type') }),
  };
}

/** @returns what the form of a client begins with, as {@link readClientForm} reads it */
export const formOfClient = (client: ShownClient): Record<string, unknown> => ({
  redirect_uris: client.redirect_uris,
  client_name: client.client_name ?? '',
  client_uri: client.client_uri ?? '',
  scope: client.scope ?? '',
  post_logout_redirect_uris: client.post_logout_redirect_uris ?? [],
});
