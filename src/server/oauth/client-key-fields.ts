/** What a client says of its keys (RFC 7591 2, OpenID Connect Core 9). */
import type { ClientKeySet, NewClient } from '../../db/oauth-clients.js';
import { readPublicJwk } from '../../jws/public-jwk.js';
import { type ApiError, apiError } from '../errors.js';
import { isCallable } from '../outbound/loopback.js';
import type { App } from '../runtime/app.js';

/** The method by which such a client proves who it is. */
export const KEY_METHOD = 'private_key_jwt';

/** As sent; every field may be absent. */
export interface GivenKeyFields {
  /** Without keys: none. */
  readonly jwks?: Readonly<Record<string, unknown>>;
  /** Empty: none. */
  readonly jwks_uri?: string;
}

export type KeyFields = Pick<NewClient, 'jwks' | 'jwks_uri'>;

export const usualKeyFields: KeyFields = { jwks: null, jwks_uri: null };

const MAX_KEYS = 10;
const MAX_URI = 2048;

const invalid = (reason: string): ApiError => apiError('clientMetadataInvalid', { reason });

/** Those fields that are present; the one ends the other. @throws ApiError clientMetadataInvalid */
export function readKeyFields({ config }: Pick<App, 'config'>, given: GivenKeyFields): Partial<KeyFields> {
  const { jwks: givenSet, jwks_uri: givenUri } = given;
  const jwks = givenSet === undefined ? undefined : readKeySet(givenSet);
  const uri = givenUri === undefined ? undefined : givenUri === '' ? null : readKeysUri(config, givenUri);
  if (jwks && uri) throw invalid('jwks and jwks_uri exclude each other');
  return {
    ...(jwks !== undefined && { jwks, ...(jwks !== null && { jwks_uri: null }) }),
    ...(uri !== undefined && { jwks_uri: uri, ...(uri !== null && { jwks: null }) }),
  };
}

/** @throws ApiError clientMetadataInvalid */
export function assertKeysFit({
  auth_method: method,
  jwks,
  jwks_uri: uri,
}: KeyFields & Pick<NewClient, 'auth_method'>) {
  if (method === KEY_METHOD && jwks === null && uri === null) {
    throw invalid(`token_endpoint_auth_method ${KEY_METHOD} needs jwks or jwks_uri`);
  }
}

/** @returns null: none */
function readKeySet({ keys }: Readonly<Record<string, unknown>>): ClientKeySet | null {
  if (keys === undefined || (Array.isArray(keys) && keys.length === 0)) return null;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw invalid(`jwks must have 1 to ${MAX_KEYS} keys`);
  const read = keys.map((entry) => {
    const found = readPublicJwk(entry);
    if ('fault' in found) throw invalid(`jwks: a key ${found.fault}`);
    return found.key;
  });
  const names = read.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (new Set(names).size < names.length) throw invalid('jwks: two keys have the same kid');
  return { keys: read };
}

/** This server reads it: https, or this machine where OUTBOUND_PRIVATE_HOSTS lists it. */
function readKeysUri({ outboundPrivateHosts }: Pick<App['config'], 'outboundPrivateHosts'>, text: string): string {
  const url = text.length <= MAX_URI && URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.password === '' && !text.includes('#');
  if (!isPlain || !isCallable(url, outboundPrivateHosts))
    throw invalid('jwks_uri must be an https URL without fragment');
  return text;
}
