/** The keys of clients that prove themselves by one. Those that a client publishes are kept, and read again for a new key. */
import { lruByOwner } from '../../caching/lru.js';
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { type PublicJwk, readPublicJwk } from '../../jws/public-jwk.js';
import type { ClientDocuments } from '../client-documents/contract.js';
import type { App } from '../runtime/app.js';
import { isTrusted } from './client-identity.js';

interface Published {
  /** Null: they were never read. */
  keys: readonly PublicJwk[] | null;
  /** Milliseconds of a monotonic clock, as all times here. */
  freshUntil: number;
  /** When keys that cannot be renewed are given up. */
  usableUntil: number;
  /** Until then it is not read again for a key that is unknown, or after a failure. */
  nextTry: number;
  reading: Promise<void> | null;
}

/** Anyone can present an assertion with a key that is unknown. */
const RETRY_MS = 30_000;
/** A key that was withdrawn counts no longer than that, whatever the headers say. */
const MAX_FRESH_SECONDS = 3600;
const STALE_MS = 86_400_000;
const MAX_KEYS = 100;

const publishedBy = lruByOwner<ClientDocuments, Published>({
  maxEntries: 1024,
  maxCharacters: 8 * 1_048_576,
  // At most that much was read.
  countCharacters: () => 8192,
});

/**
 * @param needsNewer the keys as they were known do not fit
 * @returns none where they cannot be read
 */
export async function keysOfClient(
  app: Pick<App, 'config' | 'clientDocuments'>,
  client: OauthClientRow,
  needsNewer: boolean,
): Promise<readonly PublicJwk[]> {
  const { jwks, jwks_uri: uri } = client;
  if (jwks !== null) return jwks.keys;
  if (uri === null) return [];
  // OUTBOUND_PRIVATE_HOSTS is for addresses that administrators enter.
  const privateHosts = isTrusted(client) ? app.config.outboundPrivateHosts : [];
  const cache = publishedBy(app.clientDocuments);
  const name = `${privateHosts.join(' ')} ${uri}`;
  const known = cache.get(name);
  const entry = known ?? { keys: null, freshUntil: 0, usableUntil: 0, nextTry: 0, reading: null };
  if (known === undefined) cache.set(name, entry);
  const now = performance.now();
  const isWanted = needsNewer || entry.keys === null || now >= entry.freshUntil;
  if (isWanted && entry.reading === null && now >= entry.nextTry) {
    if (needsNewer) entry.nextTry = now + RETRY_MS;
    entry.reading = read(app, entry, uri, privateHosts).finally(() => {
      entry.reading = null;
    });
  }
  if (isWanted) await entry.reading;
  return entry.keys !== null && performance.now() < entry.usableUntil ? entry.keys : [];
}

async function read(
  { clientDocuments }: Pick<App, 'clientDocuments'>,
  entry: Published,
  uri: string,
  privateHosts: readonly string[],
): Promise<void> {
  const document = await clientDocuments.read(uri, privateHosts);
  const keys = 'fault' in document ? undefined : document.members['keys'];
  if ('fault' in document || !Array.isArray(keys)) {
    entry.nextTry = performance.now() + RETRY_MS;
    return;
  }
  // Keys for other purposes, or of kinds that are unknown here, are left out (RFC 7517 5).
  entry.keys = keys.slice(0, MAX_KEYS).flatMap((one) => {
    const found = readPublicJwk(one);
    return 'fault' in found ? [] : [found.key];
  });
  const now = performance.now();
  entry.freshUntil = now + Math.min(document.freshSeconds, MAX_FRESH_SECONDS) * 1000;
  entry.usableUntil = now + STALE_MS;
}
