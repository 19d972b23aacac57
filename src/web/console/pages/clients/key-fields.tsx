/** The keys by which a client proves who it is, in place of a secret. */
import { readJsonObject } from '../../core/json-fields.js';
import { Area, Field } from '../../parts/field.js';
import type { ShownClient } from './shown-client.js';

const KEY_METHOD = 'private_key_jwt';

export const usesKey = ({ token_endpoint_auth_method: method }: ShownClient): boolean => method === KEY_METHOD;

const hasKeys = (client: ShownClient | undefined): boolean =>
  client?.jwks !== undefined || client?.jwks_uri !== undefined;

export const KeyFields = ({ client }: { readonly client: ShownClient | undefined }) => (
  <details open={hasKeys(client)}>
    <summary>Keys in place of a secret</summary>
    <div class="stack">
      <Field
        label="Address of its keys"
        name="jwks_uri"
        hint="https://; empty: none"
        type="url"
        defaultValue={client?.jwks_uri ?? ''}
        autocomplete="off"
      />
      <Area label="Or the keys" name="jwks" hint="public ones, as a JWK Set; empty: none" rows={4}>
        {client?.jwks === undefined ? '' : JSON.stringify(client.jwks, null, 2)}
      </Area>
    </div>
  </details>
);

/**
 * Keys that come make the client sign with them, and keys that go leave it with a secret.
 * @param client undefined: a new one
 * @returns nothing where the form has no such fields
 * @throws ApiFault
 */
export function readKeyForm(form: FormData, client: ShownClient | undefined): Record<string, unknown> {
  if (form.get('jwks') === null) return {};
  const uri = String(form.get('jwks_uri') ?? '').trim();
  const jwks = readJsonObject(String(form.get('jwks')), 'The keys');
  const hasNow = uri !== '' || Object.keys(jwks).length > 0;
  const method = hasNow === hasKeys(client) ? undefined : methodAfter(hasNow, client);
  return { jwks, jwks_uri: uri, ...(method !== undefined && { token_endpoint_auth_method: method }) };
}

/** @returns undefined: as it is */
function methodAfter(hasNow: boolean, client: ShownClient | undefined): string | undefined {
  if (hasNow) return KEY_METHOD;
  return client !== undefined && usesKey(client) ? 'client_secret_basic' : undefined;
}
