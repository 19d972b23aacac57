/** OAuth clients, consents and custom providers in the tables of supabase/auth. */
import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';

type Columns = Readonly<Record<string, unknown>>;

/** Columns that are not given get their defaults. */
export async function addPeerRow(admin: pg.Client, table: string, row: Columns): Promise<string> {
  const names = Object.keys(row).join(', ');
  const text = `insert into auth.${table} (${names}) select ${names} from jsonb_populate_record(null::auth.${table}, $1)`;
  await admin.query(text, [row]);
  return row['id'] as string;
}

const TIME = '2026-01-01T10:00:00.123456Z';
const times = { created_at: TIME, updated_at: TIME };

/** The secret of {@link addPeerClient}, and its hash. */
export const PEER_CLIENT_SECRET = 'c2VjcmV0LW9mLTI1Ni1yYW5kb20tYml0cw';
export const peerSecretHash = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Adds a client with a secret. @param columns of auth.oauth_clients that differ */
export const addPeerClient = (admin: pg.Client, columns: Columns = {}): Promise<string> =>
  addPeerRow(admin, 'oauth_clients', {
    id: randomUUID(),
    client_secret_hash: peerSecretHash(PEER_CLIENT_SECRET),
    registration_type: 'manual',
    redirect_uris: 'https://client.example.com/callback,http://localhost:3000/cb',
    grant_types: 'authorization_code,refresh_token',
    client_name: 'Example',
    client_uri: null,
    logo_uri: null,
    client_type: 'confidential',
    token_endpoint_auth_method: 'client_secret_post',
    ...times,
    ...columns,
  });

export const addPeerConsent = (
  admin: pg.Client,
  userId: string,
  clientId: string,
  columns: Columns = {},
): Promise<string> =>
  addPeerRow(admin, 'oauth_consents', {
    id: randomUUID(),
    user_id: userId,
    client_id: clientId,
    scopes: 'openid email',
    granted_at: TIME,
    ...columns,
  });

/** Adds a provider with OpenID Connect, whose secret is stored in clear. */
export const addPeerProvider = (admin: pg.Client, columns: Columns = {}): Promise<string> =>
  addPeerRow(admin, 'custom_oauth_providers', {
    id: randomUUID(),
    provider_type: 'oidc',
    identifier: `custom:${randomUUID().slice(0, 8)}`,
    name: 'Example',
    client_id: 'client at the provider',
    client_secret: 'secret at the provider',
    scopes: ['openid', 'email'],
    acceptable_client_ids: ['ios'],
    attribute_mapping: { name: 'full_name' },
    authorization_params: { prompt: 'login' },
    custom_claims_allowlist: ['groups'],
    issuer: 'https://id.example.com',
    ...times,
    ...columns,
  });
