import { timingSafeEqual } from 'node:crypto';
import { lruByOwner } from '../../caching/lru.js';
import type { HmacSha256 } from '../../hmac-sha256.js';
import { refuse } from '../errors.js';

/** What a verified access token says. Only the claims this server reads are typed. */
export interface AccessTokenClaims {
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly role?: string;
  readonly session_id?: string;
  readonly is_anonymous?: boolean;
  readonly [claim: string]: unknown;
}

/** Clocks of two instances may differ by this much on nbf and iat; on exp there is no leeway (REL-23). */
const LEEWAY_SECONDS = 30;

/** HMAC-SHA-256 in base64url. */
const SIGNATURE_CHARACTERS = 43;

/** About 6 MB a thread: a token has some 700 characters, its claims take as much again. */
const MOST_KNOWN = 4096;
const MOST_KNOWN_CHARACTERS = 4 * 1_048_576;

interface KnownToken {
  readonly token: string;
  readonly claims: AccessTokenClaims;
}

/**
 * Tokens whose signature was right, by the MACs that were asked: one that comes again is spared 12 µs, and one that an
 * earlier secret signed is forgotten when that secret is no longer accepted (SEC-94). They are kept by their signatures,
 * since hashing all of their characters for a look-up takes longer than comparing them.
 */
const tokensOf = lruByOwner<readonly HmacSha256[], KnownToken>({
  most: MOST_KNOWN,
  mostCharacters: MOST_KNOWN_CHARACTERS,
  countCharacters: ({ token }) => token.length,
});

/**
 * Verifies a compact JWS signed with HS256 (RFC 7515, RFC 7519). The algorithm is this literal one and the key is ours:
 * nothing in the header selects either (SEC-50).
 * @param macs those of Keys.accessToken that are accepted now
 * @param nowSeconds seconds since the epoch
 * @throws Refusal badJwt; details as reference/core.md 6.5
 */
export function verifyAccessToken(token: string, macs: readonly HmacSha256[], nowSeconds: number): AccessTokenClaims {
  const tokens = tokensOf(macs);
  const signature = token.slice(-SIGNATURE_CHARACTERS);
  let known = tokens.get(signature);
  if (known?.token !== token) {
    known = { token, claims: Object.freeze(readSigned(token, macs)) };
    tokens.set(signature, known);
  }
  assertTimes(known.claims, nowSeconds);
  return known.claims;
}

function readSigned(token: string, macs: readonly HmacSha256[]): AccessTokenClaims {
  const parts = token.split('.');
  if (parts.length !== 3) throw malformed('token contains an invalid number of segments');
  const [head, payload, signature] = parts as [string, string, string];

  const header = decodeObject(head, 'header');
  if (typeof header['alg'] !== 'string') throw badJwt('token is unverifiable: signing method (alg) is unspecified');
  if (header['alg'] !== 'HS256')
    throw badJwt(`token signature is invalid: signing method ${name(header['alg'])} is invalid`);
  if ('crit' in header) throw badJwt('token is unverifiable: critical header parameters are not supported');
  if (header['typ'] !== undefined && !/^(at\+)?jwt$/i.test(String(header['typ']))) {
    throw badJwt('token is unverifiable: not an access token');
  }

  const signed = Buffer.from(`${head}.${payload}`);
  const claimed = Buffer.from(signature, 'base64url');
  const isSigned = macs.some((mac) => {
    const expected = Buffer.from(mac(signed, 'binary'), 'binary');
    return claimed.length === expected.length && timingSafeEqual(claimed, expected);
  });
  // base64url decoding forgives trailing bytes; a signature has one spelling.
  if (!isSigned || claimed.toString('base64url') !== signature) {
    throw badJwt('token signature is invalid: signature is invalid');
  }

  const claims = decodeObject(payload, 'claim');
  assertClaimTypes(claims);
  return claims;
}

function assertTimes(claims: AccessTokenClaims, nowSeconds: number): void {
  const { exp, nbf, iat } = claims as { exp?: number; nbf?: number; iat?: number };
  if (exp !== undefined && nowSeconds >= exp) throw badJwt('token has invalid claims: token is expired');
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

/** An algorithm name as it may be repeated in an answer: a short word, or nothing of it. */
const name = (alg: string) => (/^[A-Za-z0-9]{1,16}$/.test(alg) ? alg : 'given');
const badJwt = (detail: string) => refuse('badJwt', { detail });
const malformed = (detail: string) => badJwt(`token is malformed: ${detail}`);
