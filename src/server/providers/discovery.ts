/** Discovery documents (OpenID Connect Discovery 4) and keys of issuers. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isLoopback } from '../outbound/loopback.js';
import { callOut } from '../outbound/outbound.js';
import type { TestInternet } from '../outbound/public-address.js';
import type { Log } from '../telemetry/log.js';
import { at, ProviderUnavailable, textAt } from './claims.js';
import type { IdTokenClaims, IdTokenSpec } from './contract.js';

const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** Time between a failed refresh and the next one, during which the old document is used. */
const RETRY_SECONDS = 30;
/** Longest wait for a refresh if there is an old document. */
const REFRESH_SECONDS = 3;
/** Of one request for the keys; an unknown `kid` causes at most one in 30 s. */
const KEYS_SECONDS = 5;
const KEYS_COOLDOWN_SECONDS = 30;

/** A checked discovery document. Endpoints are https, or http on the loopback if the issuer is there, too. */
export interface IssuerDocument {
  readonly issuer: string;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string | null;
  readonly userinfoEndpoint: string | null;
  readonly jwksUri: string;
  /** `id_token_signing_alg_values_supported`; null: not announced. */
  readonly algorithms: readonly string[] | null;
  /** `token_endpoint_auth_methods_supported`; null: not announced. */
  readonly authMethods: readonly string[] | null;
  /** Finds the key of a token in the set at `jwksUri`, and nowhere else (SEC-62). */
  readonly keys: JWTVerifyGetKey;
}

export interface Discovery {
  /**
   * @param issuer base of the document, see {@link documentUrl}
   * @param isOwn whether a document's `issuer` is valid there; default: equals `issuer` (Discovery 4.3)
   * @throws ProviderUnavailable, OutboundError
   */
  find(issuer: string, isOwn?: (documentIssuer: string) => boolean): Promise<IssuerDocument>;
}

/** Where and how the document of a provider in the database is fetched. */
export interface DiscoverySource {
  /** In place of {@link documentUrl}. */
  readonly url?: string | undefined;
  /** See OutboundRequest. */
  readonly privateHosts?: readonly string[] | undefined;
  readonly testInternet?: TestInternet | undefined;
  /** A document that was fetched and checked before, used while no newer one is available. */
  readonly stored?: unknown;
}

interface Entry {
  document: IssuerDocument | null;
  /** Milliseconds of `now`. */
  refreshAt: number;
  pending: Promise<IssuerDocument> | null;
}

export interface DiscoveryOptions {
  readonly ttlSeconds: number;
  /** Longest one document may take. */
  readonly callSeconds: number;
  readonly log: Pick<Log, 'warn'>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly source?: DiscoverySource;
}

/** Where the document of an issuer is, with or without slashes at its end (Discovery 4.1). */
export function documentUrl(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}${DISCOVERY_PATH}`;
}

/** Keeps one document per issuer. An expired copy is used as long as no new one is available. */
export function openDiscovery({
  ttlSeconds,
  callSeconds,
  log,
  now = () => performance.now(),
  source = {},
}: DiscoveryOptions): Discovery {
  const entries = new Map<string, Entry>();

  async function refresh(issuer: string, entry: Entry, isOwn: (issuer: string) => boolean): Promise<IssuerDocument> {
    const seconds = entry.document === null ? callSeconds : Math.min(callSeconds, REFRESH_SECONDS);
    try {
      const document = await fetchDocument(issuer, isOwn, seconds, entry.document, source);
      entry.document = document;
      entry.refreshAt = now() + ttlSeconds * 1000;
      return document;
    } catch (error) {
      if (entry.document === null) throw error;
      entry.refreshAt = now() + RETRY_SECONDS * 1000;
      const fields = { component: 'providers', issuer, reason: (error as Error).message };
      log.warn(fields, 'The discovery document of an identity provider cannot be renewed; the old one serves.');
      return entry.document;
    }
  }

  const seed = (issuer: string, isOwn: (issuer: string) => boolean): IssuerDocument | null =>
    source.stored ? readDocument(source.stored, issuer, isOwn, null, source.privateHosts) : null;

  return {
    find(issuer, isOwn = (found) => found === issuer) {
      const known = entries.get(issuer);
      const entry: Entry = known ?? { document: seed(issuer, isOwn), refreshAt: 0, pending: null };
      entries.set(issuer, entry);
      if (entry.document !== null && now() < entry.refreshAt) return Promise.resolve(entry.document);
      entry.pending ??= refresh(issuer, entry, isOwn).finally(() => {
        entry.pending = null;
      });
      return entry.pending;
    },
  };
}

/** The document of a provider. @throws ProviderUnavailable, OutboundError */
export function findDocument(discovery: Discovery, spec: IdTokenSpec, url: string | null): Promise<IssuerDocument> {
  const { isOwnDocument } = spec;
  return discovery.find(spec.issuer(url), isOwnDocument && ((issuer) => isOwnDocument(issuer, url)));
}

/** See {@link IdTokenSpec.isOwnIssuer}. */
export function isOwnIssuer(spec: IdTokenSpec, claims: IdTokenClaims, issuer: string, url: string | null): boolean {
  return spec.isOwnIssuer?.(claims, issuer, url) ?? claims['iss'] === issuer;
}

async function fetchDocument(
  issuer: string,
  isOwn: (issuer: string) => boolean,
  totalSeconds: number,
  before: IssuerDocument | null,
  source: DiscoverySource,
): Promise<IssuerDocument> {
  const json = await fetchJson(issuer, totalSeconds, source);
  return readDocument(json, issuer, isOwn, before, source.privateHosts);
}

/**
 * Fetches a document and checks it as {@link Discovery.find} does, which then would use it.
 * @returns the document as it came, for storing. @throws ProviderUnavailable, OutboundError
 */
export async function fetchForStoring(
  issuer: string,
  totalSeconds: number,
  source: DiscoverySource,
): Promise<{ readonly json: Readonly<Record<string, unknown>>; readonly document: IssuerDocument }> {
  const json = await fetchJson(issuer, totalSeconds, source);
  const document = readDocument(json, issuer, (found) => found === issuer, null, source.privateHosts);
  return { json: json as Record<string, unknown>, document };
}

async function fetchJson(
  issuer: string,
  totalSeconds: number,
  { url, privateHosts, testInternet }: DiscoverySource,
): Promise<unknown> {
  const place = url ?? documentUrl(issuer);
  const headers = { Accept: 'application/json' };
  const { status, text } = await callOut({ url: place, headers, totalSeconds, privateHosts, testInternet });
  if (status !== 200) throw new ProviderUnavailable(`the discovery document was answered with status ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderUnavailable('the discovery document is not JSON');
  }
}

function readDocument(
  json: unknown,
  issuer: string,
  isOwn: (issuer: string) => boolean,
  before: IssuerDocument | null,
  privateHosts: readonly string[] | undefined,
): IssuerDocument {
  const documentIssuer = textAt(json, 'issuer');
  if (documentIssuer === '') throw new ProviderUnavailable('the discovery document names no issuer');
  if (!isOwn(documentIssuer)) {
    const found = JSON.stringify(documentIssuer.slice(0, 200));
    throw new ProviderUnavailable(`the discovery document is about another issuer, ${found}`);
  }
  const mayBeHere = isLoopback(new URL(issuer).hostname);
  const endpoint = (name: string): string | null => {
    const value = at(json, name);
    if (value === undefined || value === null) return null;
    if (typeof value === 'string' && isAcceptable(value, mayBeHere)) return value;
    throw new ProviderUnavailable(`${name} of the discovery document must begin with https://`);
  };
  const jwksUri = endpoint('jwks_uri');
  if (jwksUri === null) throw new ProviderUnavailable('the discovery document has no jwks_uri');
  return {
    issuer: documentIssuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    userinfoEndpoint: endpoint('userinfo_endpoint'),
    jwksUri,
    algorithms: textsAt(json, 'id_token_signing_alg_values_supported'),
    authMethods: textsAt(json, 'token_endpoint_auth_methods_supported'),
    keys: before?.jwksUri === jwksUri ? before.keys : openKeys(jwksUri, privateHosts),
  };
}

function isAcceptable(text: string, mayBeHere: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (mayBeHere && url.protocol === 'http:' && isLoopback(url.hostname));
}

function textsAt(json: unknown, name: string): string[] | null {
  const value = at(json, name);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

function openKeys(jwksUri: string, privateHosts: readonly string[] | undefined): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUri), {
    cooldownDuration: KEYS_COOLDOWN_SECONDS * 1000,
    timeoutDuration: KEYS_SECONDS * 1000,
    [customFetch]: async (url) => {
      const { status, text } = await callOut({ url, totalSeconds: KEYS_SECONDS, privateHosts });
      if (status !== 200) throw new ProviderUnavailable(`the key set was answered with status ${status}`);
      return new Response(text);
    },
  });
}
