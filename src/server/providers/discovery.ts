/** What issuers publish of themselves: the discovery document (OpenID Connect Discovery 4) and their keys. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { callOut, isLoopback } from '../outbound.js';
import type { Log } from '../telemetry/log.js';
import { at, ProviderUnavailable, textAt } from './claims.js';
import type { IdTokenClaims, IdTokenSpec } from './contract.js';

export const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** After a refresh that failed the old document serves so long before the next. */
const RETRY_SECONDS = 30;
/** Nobody waits longer than this for a refresh while there is an old document. */
const REFRESH_SECONDS = 3;
/** Of one look at the keys; an unknown `kid` causes at most one in 30 s. */
const KEYS_SECONDS = 5;
const KEYS_COOLDOWN_SECONDS = 30;

/** A discovery document, checked. Endpoints are https, or http on this machine if the issuer is there too. */
export interface IssuerDocument {
  readonly issuer: string;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string | null;
  readonly userinfoEndpoint: string | null;
  readonly jwksUri: string;
  /** `id_token_signing_alg_values_supported`; null: it does not say. */
  readonly algorithms: readonly string[] | null;
  /** `token_endpoint_auth_methods_supported`; null: it does not say. */
  readonly authMethods: readonly string[] | null;
  /** Finds the key of a token in the set at `jwksUri`, and nowhere else (SEC-62). */
  readonly keys: JWTVerifyGetKey;
}

export interface Discovery {
  /**
   * @param issuer where the document stands, without {@link DISCOVERY_PATH}
   * @param isOwn whether a document's `issuer` may stand there; default: exactly the same (Discovery 4.3)
   * @throws ProviderUnavailable, OutboundError
   */
  find(issuer: string, isOwn?: (documentIssuer: string) => boolean): Promise<IssuerDocument>;
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
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Documents are kept for a time, one an issuer; a copy that is too old serves on while no new one can be had. */
export function openDiscovery({
  ttlSeconds,
  callSeconds,
  log,
  now = () => performance.now(),
}: DiscoveryOptions): Discovery {
  const entries = new Map<string, Entry>();

  async function refresh(issuer: string, entry: Entry, isOwn: (issuer: string) => boolean): Promise<IssuerDocument> {
    const seconds = entry.document === null ? callSeconds : Math.min(callSeconds, REFRESH_SECONDS);
    try {
      const document = await fetchDocument(issuer, isOwn, seconds, entry.document);
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

  return {
    find(issuer, isOwn = (found) => found === issuer) {
      const entry: Entry = entries.get(issuer) ?? { document: null, refreshAt: 0, pending: null };
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
): Promise<IssuerDocument> {
  const url = `${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}`;
  const { status, text } = await callOut({ url, headers: { Accept: 'application/json' }, totalSeconds });
  if (status !== 200) throw new ProviderUnavailable(`the discovery document was answered with status ${status}`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ProviderUnavailable('the discovery document is not JSON');
  }
  return readDocument(json, issuer, isOwn, before);
}

function readDocument(
  json: unknown,
  issuer: string,
  isOwn: (issuer: string) => boolean,
  before: IssuerDocument | null,
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
    keys: before?.jwksUri === jwksUri ? before.keys : openKeys(jwksUri),
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

function openKeys(jwksUri: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUri), {
    cooldownDuration: KEYS_COOLDOWN_SECONDS * 1000,
    timeoutDuration: KEYS_SECONDS * 1000,
    [customFetch]: async (url) => {
      const { status, text } = await callOut({ url, totalSeconds: KEYS_SECONDS });
      if (status !== 200) throw new ProviderUnavailable(`the key set was answered with status ${status}`);
      return new Response(text);
    },
  });
}
