/** OAuth clients as the API shows them, and what a form says of one. */
import { mergeOf } from '../../core/json-changes.js';
import { linesOf } from '../webhooks/shown-webhook.js';
import { readKeyFields } from './key-fields.js';
import { readServedFields } from './served-fields.js';

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

/** @returns what the form of a new client says. @throws ApiFault */
export async function readNewClient(form: FormData): Promise<Record<string, unknown>> {
  const isMachine = form.get('kind') === 'machine';
  return {
    ...readFields(form),
    ...(await readMore(form, undefined)),
    client_type: form.get('kind') === 'public' ? 'public' : 'confidential',
    ...(isMachine && { grant_types: ['client_credentials'] }),
  };
}

/** @returns what a form changes. @throws ApiFault */
export async function readClientChanges(form: FormData, client: ShownClient): Promise<Record<string, unknown>> {
  const after = { ...readFields(form), ...(await readMore(form, client)) };
  const before = Object.entries(formOfClient(client)).filter(([name]) => Object.hasOwn(after, name));
  return mergeOf(Object.fromEntries(before), after);
}

const readMore = async (form: FormData, client: ShownClient | undefined) => ({
  ...readKeyFields(form, client),
  ...(await readServedFields(form)),
});

function readFields(form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  return {
    redirect_uris: linesOf(form, 'redirect_uris'),
    client_name: text('client_name'),
    client_uri: text('client_uri'),
    scope: text('scope'),
    post_logout_redirect_uris: linesOf(form, 'post_logout_redirect_uris'),
  };
}

/** What the form of a client begins with, as it is read. */
const formOfClient = (client: ShownClient): Record<string, unknown> => ({
  redirect_uris: client.redirect_uris,
  client_name: client.client_name ?? '',
  client_uri: client.client_uri ?? '',
  scope: client.scope ?? '',
  post_logout_redirect_uris: client.post_logout_redirect_uris ?? [],
  token_endpoint_auth_method: client.token_endpoint_auth_method,
  jwks: client.jwks ?? {},
  jwks_uri: client.jwks_uri ?? '',
  organization_id: client.organization_id ?? '',
  organization_roles: client.organization_roles ?? [],
});
