/** Verification of ID tokens (OpenID Connect Core 2 and 3.1.3.7). */
import { createHash, timingSafeEqual } from 'node:crypto';
import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { OutboundError } from '../outbound/outbound.js';
import { ProviderFault, ProviderUnavailable, parseProfile } from './claims.js';
import type { IdTokenClaims } from './contract.js';
import type { IssuerDocument } from './discovery.js';

/** Public-key signatures only: with HS256 the provider's public key would serve as the secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'EdDSA'];
/** Discovery 3: the default of issuers that announce no algorithm. */
const DEFAULT_ALGORITHMS = ['RS256'];
/** The issuer's clock may be ahead of ours. An expired token gets no leeway. */
const NOT_BEFORE_LEEWAY_SECONDS = 300;

export interface VerifiedToken {
  readonly claims: IdTokenClaims;
  readonly algorithm: string;
}

/**
 * Verifies signature, algorithm, times and issuer. Audience and nonce are checked by the caller.
 * @param isOwnIssuer whether `iss` is the issuer of these keys (SEC-62)
 * @throws ProviderFault for an invalid token; ProviderUnavailable, OutboundError without keys
 */
export async function verifyToken(
  token: string,
  { keys, algorithms }: Pick<IssuerDocument, 'keys' | 'algorithms'>,
  isOwnIssuer: (claims: IdTokenClaims) => boolean,
): Promise<VerifiedToken> {
  const permitted = ALGORITHMS.filter((name) => (algorithms ?? DEFAULT_ALGORITHMS).includes(name));
  const options: JWTVerifyOptions = {
    algorithms: permitted,
    requiredClaims: ['iss', 'exp'],
    clockTolerance: NOT_BEFORE_LEEWAY_SECONDS,
  };
  const { payload, protectedHeader } = await verifySignature(token, keys, options);
  // Logout and access tokens of an issuer are signed with the same keys (RFC 8725 3.12).
  if (/\+jwt$/i.test(protectedHeader.typ ?? '')) throw new ProviderFault('the token is no ID token');
  if (payload.exp! * 1000 <= Date.now()) throw new ProviderFault('the ID token has expired');
  if (!isOwnIssuer(payload)) throw new ProviderFault('the ID token is of another issuer');
  // The library parsed the same bytes, but rounds long numbers.
  const claims = parseProfile(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as IdTokenClaims;
  return { claims, algorithm: protectedHeader.alg };
}

type Verified = Awaited<ReturnType<typeof jwtVerify>>;

async function verifySignature(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<Verified> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      // The token names no key: try each that fits.
      for await (const key of error) {
        const verified = await jwtVerify(token, key, options).catch((reason: unknown) => {
          if (reason instanceof errors.JWSSignatureVerificationFailed) return null;
          throw asFault(reason);
        });
        if (verified !== null) return verified;
      }
    }
    throw asFault(error);
  }
}

function asFault(error: unknown): Error {
  if (error instanceof OutboundError || error instanceof ProviderUnavailable) return error;
  const { code } = error as { code?: unknown };
  if (code === 'ERR_JWKS_INVALID' || code === 'ERR_JOSE_GENERIC' || code === 'ERR_JWKS_TIMEOUT') {
    return new ProviderUnavailable(`the key set cannot be used: ${(error as Error).message}`);
  }
  // No cause: errors of the library contain the claims.
  return new ProviderFault(`the ID token was refused: ${(error as Error).message}`);
}

/**
 * Whether `at_hash` is the left half of the hash of an access token (Core 3.1.3.6); true without `at_hash`.
 */
export function matchesAccessToken({ claims, algorithm }: VerifiedToken, accessToken: string): boolean {
  const given = claims['at_hash'];
  if (given === undefined) return true;
  if (typeof given !== 'string') return false;
  const size = algorithm === 'EdDSA' ? '512' : algorithm.slice(-3);
  const hash = createHash(`sha${size}`).update(accessToken).digest();
  return isSame(given, hash.subarray(0, hash.length / 2).toString('base64url'));
}

/** Compares in constant time. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
