/** What a form says of an OAuth client. */
import { mergeOf } from '../../core/json-changes.js';
import { linesOf } from '../webhooks/shown-webhook.js';
import { readKeyForm } from './key-fields.js';
import { readServedForm } from './served-fields.js';
import type { ShownClient } from './shown-client.js';

/** @returns what the form of a new client says. @throws ApiFault */
export async function readNewClientForm(form: FormData): Promise<Record<string, unknown>> {
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
  ...readKeyForm(form, client),
  ...(await readServedForm(form)),
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
