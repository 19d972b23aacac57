/** OAuth clients, consents and custom providers of ours as rows of supabase/auth. */
import { randomUUID } from 'node:crypto';
import type { CustomProviderRow } from '../../../db/custom-providers.js';
import type { ExportedAccount, ExportedSession } from '../../../db/export.js';
import type { OauthClientRow } from '../../../db/oauth-clients.js';
import type { PeerBatch } from '../../../db/to-gotrue.js';
import { USUAL_GRANT_TYPES } from '../../oauth/client-fields.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import type { PeerSecrets } from './peer-factor-rows.js';

export interface PeerClients {
  readonly batches: readonly PeerBatch[];
  /** Ids of the clients that are written. */
  readonly ids: readonly string[];
}

/**
 * A client that supabase/auth cannot have, or only with more rights, is deleted there.
 * @param onLeftOut called with each of these
 */
export function toClientBatches(
  clients: readonly OauthClientRow[],
  onLeftOut: (id: string, reason: string) => void,
): PeerClients {
  const written: OauthClientRow[] = [];
  const leftOut: string[] = [];
  for (const client of clients) {
    const reason = findObstacle(client);
    if (reason === null) written.push(client);
    else {
      leftOut.push(client.id);
      onLeftOut(client.id, reason);
    }
  }
  return {
    batches: [
      { deleteFrom: 'oauth_clients', ids: leftOut },
      { into: 'oauth_clients', rows: written.map(toClientRow) },
    ],
    ids: written.map(({ id }) => id),
  };
}

function findObstacle(client: OauthClientRow): string | null {
  if (client.url !== null) return 'it is known by the address of its metadata document';
  if (grantsThere(client).length === 0) return 'none of its grant types is there';
  if (client.redirect_uris.some((uri) => uri.includes(','))) return 'a comma in a redirect URI separates two there';
  if (client.redirect_uris.length === 0) return 'it has no redirect URI';
  if (client.subject_type === 'pairwise') return 'it knows the users by other names, which are not there';
  if (client.auth_method === 'private_key_jwt') return 'it proves itself by a key, which is not there';
  if (client.dpop_bound_access_tokens) return 'its tokens are bound to a key, which is not there';
  if (client.organization_id !== null) return 'it serves the members of one organization only, and there all users';
  if (client.scopes !== null) return 'it may ask for some scopes only, and there for all';
  return null;
}

const grantsThere = ({ grant_types }: OauthClientRow): string[] =>
  grant_types.filter((grant) => USUAL_GRANT_TYPES.includes(grant));

const toClientRow = (client: OauthClientRow): object => ({
  id: client.id,
  client_secret_hash: client.secret_hash,
  registration_type: client.registration,
  redirect_uris: client.redirect_uris.join(','),
  grant_types: grantsThere(client).join(','),
  client_name: client.name || null,
  client_uri: client.uri || null,
  logo_uri: client.logo_uri || null,
  created_at: client.created_at,
  updated_at: client.updated_at,
  client_type: client.client_type,
  token_endpoint_auth_method: client.auth_method,
});

/** A session of a user, or of a client that is written; none whose tokens would be worth more there. */
export const isSessionThere = (
  { oauth_client_id: clientId, client }: ExportedSession,
  clients: ReadonlySet<string>,
): boolean =>
  clientId === null ||
  (clients.has(clientId) && client !== null && client.jkt === undefined && client.aud === undefined);

/** @param clients ids of those that are written */
export const toConsentBatch = (accounts: readonly ExportedAccount[], clients: ReadonlySet<string>): PeerBatch => ({
  into: 'oauth_consents',
  rows: accounts
    .flatMap(({ consents }) => consents ?? [])
    .filter(({ client_id, scopes }) => clients.has(client_id) && scopes.length > 0)
    // The id of a new one; one that is there keeps its own.
    .map((consent) => ({ ...consent, id: randomUUID(), scopes: consent.scopes.join(' ') })),
});

/**
 * @param sealer of the secrets here
 * @param onRefused called with each provider whose secret no key opens
 */
export function toProviderBatches(
  providers: readonly CustomProviderRow[],
  sealer: TextSealer,
  { box, encrypts }: PeerSecrets,
  onRefused: (id: string, reason: string) => void,
): PeerBatch[] {
  const rows = providers.flatMap(
    ({ id, identifier, provider_type, settings, sealed_secret, created_at, updated_at }) => {
      const secret = sealer.open(id, sealed_secret);
      if (secret === null) {
        onRefused(id, 'its secret cannot be opened with any key of this server');
        return [];
      }
      const addresses = Object.fromEntries(ADDRESSES.map((name) => [name, settings[name] || null]));
      const client_secret = encrypts ? box.seal(id, secret) : secret;
      return [{ ...settings, ...addresses, id, identifier, provider_type, client_secret, created_at, updated_at }];
    },
  );
  return [
    { into: 'custom_oauth_providers', rows },
    {
      into: 'provider_claims',
      rows: rows.map(({ id, custom_claims_allowlist }) => ({ id, custom_claims_allowlist })),
    },
  ];
}

const ADDRESSES = [
  ...(['issuer', 'discovery_url', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'] as const),
];
