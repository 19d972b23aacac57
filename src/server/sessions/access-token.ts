import { createHmac, timingSafeEqual } from 'node:crypto';
import { lruByOwner } from '../../caching/lru.js';
import { verifyBytes } from '../../jws/algorithms.js';
import { apiError } from '../errors.js';
import type { KeySet, VerificationKey } from '../keys/key-set.js';
import type { VerifyCounts } from '../keys/verify-counts.js';

/** Claims of a verified access token; typed as far as the server reads them. */
export interface AccessTokenClaims {
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly role?: string;
  readonly session_id?: string;
  readonly is_anonymous?: boolean;
  readonly [claim: string]: unknown;
}

/** Tolerated clock skew for nbf and iat; exp has no leeway (REL-23). */
const LEEWAY_SECONDS = 30;

/** Of the end of a token, which identifies it in the cache: all of HMAC-SHA-256, half of ES256. */
const SIGNATURE_CHARACTERS = 43;

/** A cached token is verified again after this time, even if its key still counts. */
const MAX_CACHED_SECONDS = 60;

/** About 6 MB per thread: a token has some 700 characters, and its claims need as much again. */
const MAX_CACHED = 4096;
const MAX_CACHED_CHARACTERS = 4 * 1_048_576;

interface CachedToken {
  readonly token: string;
  readonly claims: AccessTokenClaims;
  readonly verifiedAtSeconds: number;
  readonly counts: VerifyCounts;
}

/**
 * Cache of verified tokens per set of keys, which saves 12 µs for a repeated token with HS256 and 60 to 100 µs with
 * another algorithm. When a key is no longer accepted, the set changes and its tokens are verified again (SEC-94). The
 * key of an entry is the end of the signature: hashing the whole token for a look-up takes longer than comparing it.
 */
const cacheOf = lruByOwner<KeySet, CachedToken>({
  maxEntries: MAX_CACHED,
  maxCharacters: MAX_CACHED_CHARACTERS,
  countCharacters: ({ token }) => token.length,
});

/**
 * Verifies a compact JWS (RFC 7515, RFC 7519). Its header chooses among our keys, and each key verifies one algorithm
 * (SEC-50).
 * @param keys of TokenKeys.accepted
 * @param nowSeconds seconds since the epoch
 * @throws ApiError badJwt, with the details of supabase/auth
 */
export function verifyAccessToken(token: string, keys: KeySet, nowSeconds: number): AccessTokenClaims {
  const cache = cacheOf(keys);
  const signature = token.slice(-SIGNATURE_CHARACTERS);
  let cached = cache.get(signature);
  if (cached?.token !== token || nowSeconds - cached.verifiedAtSeconds >= MAX_CACHED_SECONDS) {
    cached = { token, ...readSigned(token, keys), verifiedAtSeconds: nowSeconds };
    cache.set(signature, cached);
  }
  assertTimes(cached, nowSeconds);
  cached.counts.ok += 1;
  return cached.claims;
}

/**
 * The claims of a token with a signature of ours, whenever it was valid.
 * @throws ApiError badJwt
 */
export const readSignedClaims = (token: string, keys: KeySet): AccessTokenClaims => readSigned(token, keys).claims;

function readSigned(token: string, keys: KeySet): Pick<CachedToken, 'claims' | 'counts'> {
  const parts = token.split('.');
  if (parts.length !== 3) throw malformed('token contains an invalid number of segments');
  const [head, payload, signature] = parts as [string, string, string];

  const candidates = findKeys(decodeObject(head, 'header'), keys);
  const signed = `${head}.${payload}`;
  const claimed = Buffer.from(signature, 'base64url');
  const key = candidates.find((one) => isSignatureOf(one, signed, claimed));
  // Only the canonical encoding: decoding ignores trailing characters.
  if (key === undefined || claimed.toString('base64url') !== signature) {
    candidates[0]!.counts.refused += 1;
    throw badJwt('token signature is invalid: signature is invalid');
  }

  const claims = decodeObject(payload, 'claim');
  assertClaimTypes(claims);
  return { claims: Object.freeze(claims), counts: key.counts };
}

/** Of the header, only alg, kid, crit and typ are read: a key or an address of one in it means nothing. */
function findKeys(header: Record<string, unknown>, keys: KeySet): readonly VerificationKey[] {
  const { alg, kid } = header;
  if (typeof alg !== 'string') throw badJwt('token is unverifiable: signing method (alg) is unspecified');
  const refused = `token signature is invalid: signing method ${printableName(alg)} is invalid`;
  if (!keys.methods.has(alg)) {
    keys.unknown.refused += 1;
    throw badJwt(refused);
  }
  if ('crit' in header) throw badJwt('token is unverifiable: critical header parameters are not supported');
  if (header['typ'] !== undefined && !/^(at\+)?jwt$/i.test(String(header['typ']))) {
    throw badJwt('token is unverifiable: not an access token');
  }
  const found = keys.find(kid, alg);
  if (found === undefined) {
    keys.unknown.refused += 1;
    throw badJwt(`token is unverifiable: error while executing keyfunc: unrecognized JWT kid for algorithm ${alg}`);
  }
  if (found[0]?.alg !== alg) throw badJwt(refused);
  return found;
}

function isSignatureOf({ alg, key }: VerificationKey, signed: string, claimed: Buffer): boolean {
  if (alg !== 'HS256') return verifyBytes(alg, key, Buffer.from(signed), claimed);
  const expected = createHmac('sha256', key).update(signed).digest();
  return claimed.length === expected.length && timingSafeEqual(claimed, expected);
}

function assertTimes({ claims, counts }: CachedToken, nowSeconds: number): void {
  const { exp, nbf, iat } = claims as { exp?: number; nbf?: number; iat?: number };
  if (exp !== undefined && nowSeconds >= exp) {
    counts.expired += 1;
    throw badJwt('token has invalid claims: token is expired');
  }
  if (nbf !== undefined && nowSeconds + LEEWAY_SECONDS < nbf) {
    throw badJwt('token has invalid claims: token is not valid yet');
  }
  if (iat !== undefined && nowSeconds + LEEWAY_SECONDS < iat) {
    throw badJwt('token has invalid claims: token used before issued');
  }
}

function assertClaimTypes(claims: Record<string, unknown>): void {
  const wrong = (claim: string) => malformed(`could not JSON decode claim: ${claim} has the wrong type`);
  for (const claim of ['exp', 'nbf', 'iat']) {
    if (claims[claim] !== undefined && typeof claims[claim] !== 'number') throw wrong(claim);
  }
  for (const claim of ['sub', 'role', 'session_id']) {
    if (claims[claim] !== undefined && typeof claims[claim] !== 'string') throw wrong(claim);
  }
  const { aud } = claims;
  const isAudience =
    aud === undefined ||
    typeof aud === 'string' ||
    (Array.isArray(aud) && aud.every((entry) => typeof entry === 'string'));
  if (!isAudience) throw wrong('aud');
}

function decodeObject(segment: string, part: 'header' | 'claim'): Record<string, unknown> {
  if (!/^[A-Za-z0-9_-]+$/.test(segment)) throw malformed(`could not base64 decode ${part}: illegal base64 data`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(segment, 'base64url').toString());
  } catch {
    throw malformed(`could not JSON decode ${part}: invalid JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(`could not JSON decode ${part}: not an object`);
  }
  return value as Record<string, unknown>;
}

/** An algorithm name that is safe to repeat in an answer. */
const printableName = (alg: string) => (/^[A-Za-z0-9]{1,16}$/.test(alg) ? alg : 'given');
const badJwt = (detail: string) => apiError('badJwt', { detail });
const malformed = (detail: string) => badJwt(`token is malformed: ${detail}`);
