/** Reads identity providers that administrators of supabase/auth added. */
import type { CustomProviderType } from '../../../db/custom-providers.js';
import type { ImportProvider } from '../../../db/import-oauth.js';
import type { SupabaseAuthRow } from '../../../db/supabase-auth-oauth.js';
import { assertFields, assertIdentifier, type GivenFields } from '../../admin/custom-providers/fields.js';
import { newProviderSettings } from '../../admin/custom-providers/new-settings.js';
import { addressesOf } from '../../admin/custom-providers/provider-urls.js';
import { type Fields, openColumn, RowFault, readBoolean, readText, readTime } from '../../importing/rows.js';
import { hashOpaqueToken } from '../../sessions/peer-token.js';
import { judged, readLongText } from './client-rows.js';
import { digestOf } from './digest.js';
import type { ImportKeys } from './import-keys.js';

const TEXTS = [
  'name',
  'client_id',
  'issuer',
  'discovery_url',
  'authorization_url',
  'token_url',
  'userinfo_url',
  'jwks_uri',
];
const SWITCHES = ['pkce_enabled', 'enabled', 'email_optional', 'skip_nonce_check'];
const LISTS = ['acceptable_client_ids', 'scopes', 'custom_claims_allowlist'];
const OBJECTS = ['attribute_mapping', 'authorization_params'];

/**
 * Reads one provider, by the rules for a new one. Its addresses are not called: it may be offline.
 * @throws RowFault
 */
export function readMovedProvider(
  row: SupabaseAuthRow,
  { keys, secrets, providerSecrets }: ImportKeys,
): ImportProvider {
  const { id } = row;
  const type = readText(row, 'provider_type');
  if (type !== 'oidc' && type !== 'oauth2') throw new RowFault('provider_type is not oidc or oauth2');
  const stored = readLongText(row, 'client_secret');
  const secret = stored === null ? '' : openColumn(secrets, id, 'client_secret', stored);
  const identifier = readText(row, 'identifier') ?? '';
  const given = readGiven(row);
  judged(() => {
    assertIdentifier(identifier);
    assertFields({ ...given, client_secret: secret });
  });
  const settings = newProviderSettings(type, given);
  for (const name of ['name', 'client_id'] as const) if (!settings[name]) throw new RowFault(`${name} is missing`);
  for (const name of addressesOf(type)) {
    const url = settings[name] as string;
    if (url !== '' && !(URL.canParse(url) && url.startsWith('https://'))) {
      throw new RowFault(`${name} is no URL that begins with https://`);
    }
  }
  const created_at = readTime(row, 'created_at');
  if (created_at === null) throw new RowFault('created_at is missing');
  const facts = {
    id,
    identifier,
    provider_type: type as CustomProviderType,
    settings,
    created_at,
    updated_at: readTime(row, 'updated_at') ?? created_at,
  };
  return {
    ...facts,
    sealed_secret: providerSecrets.seal(id, secret),
    discovery_document: readObject(row, 'cached_discovery'),
    // Without the document, which the other server fetches anew at times.
    digest: digestOf([facts, hashOpaqueToken(secret, keys.movedToken.current)]),
  };
}

function readGiven(row: Fields): GivenFields {
  const given: Record<string, unknown> = {};
  for (const name of TEXTS) given[name] = readText(row, name) ?? '';
  for (const name of SWITCHES) if (name in row) given[name] = readBoolean(row, name);
  for (const name of LISTS) given[name] = readTexts(row, name);
  for (const name of OBJECTS) given[name] = readObject(row, name) ?? {};
  return given as GivenFields;
}

function readTexts(row: Fields, name: string): readonly string[] {
  const value = row[name] ?? [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new RowFault(`${name} is no list of texts`);
}

function readObject(row: Fields, name: string): Fields | null {
  const value = row[name] ?? null;
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value as Fields | null;
  throw new RowFault(`${name} is not an object`);
}
