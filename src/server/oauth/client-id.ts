/** Ids of clients: a UUID, or the address of the metadata document of a client (docs/decisions.md, Client metadata documents). */
import { createHash } from 'node:crypto';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { isUuid, readUuid } from '../../db/uuid.js';
import type { Config } from '../config/settings.js';

/** Every access token of the client repeats it. */
const MAX_URL = 512;

type DocumentSettings = Pick<Config, 'oauthServerClientIdMetadataEnabled' | 'oauthServerClientIdMetadataHosts'>;

/** The id under which a client presents itself, and which its tokens name. */
export const clientIdOf = ({ id, url }: Pick<OauthClientRow, 'id' | 'url'>): string => url ?? id;

/**
 * The key under which the client of an id is stored. It says nothing about whether there is one.
 * @param clientId as presented
 * @returns a UUID in lower case; null for what cannot be an id
 */
export function clientKey(config: DocumentSettings, clientId: string): string | null {
  if (isUuid(clientId)) return clientId.toLowerCase();
  return isDocumentUrl(config, clientId) ? storedKey(clientId) : null;
}

/**
 * The same for clients of before: what was allowed to a document can be taken back when documents are not permitted any more.
 * @param clientId a UUID in any format, or the address of a document
 */
export const storedKey = (clientId: string): string | null =>
  readUuid(clientId) ?? (clientId.startsWith('https://') ? documentKey(clientId) : null);

/** A client with a document does not answer to the UUID under which it is stored. */
export const answersTo = (client: OauthClientRow, clientId: string): boolean =>
  client.url === null ? client.id === clientId.toLowerCase() : client.url === clientId;

/**
 * Whether an id is the address of a document that may be read: https with a path, without fragment, credentials and dot segments
 * (draft-ietf-oauth-client-id-metadata-document-00, 3), and on a host of OAUTH_SERVER_CLIENT_ID_METADATA_HOSTS.
 */
export function isDocumentUrl(config: DocumentSettings, clientId: string): boolean {
  if (!config.oauthServerClientIdMetadataEnabled || clientId.length > MAX_URL) return false;
  if (!clientId.startsWith('https://') || clientId.includes('#')) return false;
  const url = URL.canParse(clientId) ? new URL(clientId) : null;
  // One spelling of each address: ids are compared as text. That also rules out dot segments.
  if (url === null || url.href !== clientId || url.pathname === '/') return false;
  if (url.username !== '' || url.password !== '') return false;
  return isPermittedHost(config.oauthServerClientIdMetadataHosts, url.hostname);
}

/** `*.example.com` stands for all names below example.com. */
const isPermittedHost = (hosts: readonly string[], hostname: string): boolean =>
  hosts.length === 0 ||
  hosts.some((host) => {
    const name = host.toLowerCase();
    return name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name;
  });

/** A UUID of version 8 (RFC 9562 5.8) with 122 bits of SHA-256, so that a URL has one row without another index. */
function documentKey(url: string): string {
  const bytes = createHash('sha256').update(url).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
