/** The keys of access tokens at one moment: which one signs, and which one verifies a given token. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { JwsAlgorithm, SigningKey } from '../../jws/algorithms.js';
import { importPublicKey, type TokenKey } from './jwk.js';
import { UNKNOWN_KID, type VerifyCounter, type VerifyCounts } from './verify-counts.js';

/** A key that verifies tokens of one algorithm. */
export interface VerificationKey {
  /** Empty for AUTH_JWT_SECRET without AUTH_JWT_KEY_ID. */
  readonly kid: string;
  readonly alg: JwsAlgorithm;
  readonly key: KeyObject;
  readonly counts: VerifyCounts;
}

/** An object that never changes: another set is another object, so caches keyed by it expire. */
export interface KeySet {
  readonly signing: SigningKey;
  /** Algorithms that are accepted at all. */
  readonly methods: ReadonlySet<string>;
  /** Empty without asymmetric keys; the signing key comes first. */
  readonly published: readonly TokenKey[];
  /**
   * The keys that may verify a token. The header only chooses among our keys, and each verifies one algorithm
   * (RFC 8725 3.1).
   * @param kid of the token's header, of any type
   * @returns undefined for an unknown kid
   */
  find(kid: unknown, alg: string): readonly VerificationKey[] | undefined;
  /** Of tokens that none of these keys may verify. */
  readonly unknown: VerifyCounts;
}

export interface KeySetOptions {
  /** From AUTH_JWT_KEYS or the database; empty: AUTH_JWT_SECRET is the only key. */
  readonly keys: readonly TokenKey[];
  /** AUTH_JWT_VALID_METHODS; null: the algorithms of the keys. */
  readonly validMethods: readonly string[] | null;
  readonly jwtSecret: string;
  readonly jwtKeyId: string;
  /** The current and earlier secrets that are accepted. */
  readonly secrets: readonly KeyObject[];
  readonly countsOf: VerifyCounter['of'];
}

/** The key AUTH_JWT_SECRET as it signs tokens. */
export const secretSigningKey = ({
  jwtSecret,
  jwtKeyId,
}: Pick<KeySetOptions, 'jwtSecret' | 'jwtKeyId'>): SigningKey => ({
  alg: 'HS256',
  kid: jwtKeyId,
  jwk: { kty: 'oct', k: Buffer.from(jwtSecret).toString('base64url') },
});

/**
 * Whether tokens under AUTH_JWT_SECRET are accepted: it is the only key, one of the keys has its value, or
 * AUTH_JWT_VALID_METHODS names HS256 (docs/decisions.md, Signing keys).
 */
export function acceptsSecret({
  keys,
  validMethods,
  jwtSecret,
}: Pick<KeySetOptions, 'keys' | 'validMethods' | 'jwtSecret'>): boolean {
  if (keys.length === 0) return validMethods === null || validMethods.includes('HS256');
  if (validMethods !== null) return validMethods.includes('HS256');
  const secret = Buffer.from(jwtSecret);
  return keys.some(({ alg, jwk }) => alg === 'HS256' && Buffer.from(jwk['k']!, 'base64url').equals(secret));
}

/** @throws Error when a key cannot be read, which AUTH_JWT_KEYS excludes */
export function makeKeySet(options: KeySetOptions): KeySet {
  const { keys, validMethods, jwtKeyId, secrets, countsOf } = options;
  const active = keys.find(({ signs }) => signs);
  const ofSecret: VerificationKey[] = acceptsSecret(options)
    ? secrets.map((key) => ({ kid: jwtKeyId, alg: 'HS256', key, counts: countsOf(jwtKeyId) }))
    : [];
  const byKid = new Map<unknown, readonly VerificationKey[]>(
    keys.map((key) => [key.kid, [importKey(key, countsOf(key.kid))]]),
  );
  const known = keys.length === 0 ? ['HS256'] : keys.map(({ alg }) => alg);
  const unlisted = ofSecret.length === 0 ? undefined : ofSecret;
  return {
    signing: active ?? secretSigningKey(options),
    methods: new Set(validMethods ?? known),
    published: keys.filter(({ alg }) => alg !== 'HS256').sort((a, b) => Number(b.signs) - Number(a.signs)),
    unknown: countsOf(UNKNOWN_KID),
    find: (kid, alg) => byKid.get(kid) ?? (alg === 'HS256' ? unlisted : undefined),
  };
}

function importKey({ kid, alg, jwk }: TokenKey, counts: VerifyCounts): VerificationKey {
  const key = alg === 'HS256' ? createSecretKey(Buffer.from(jwk['k']!, 'base64url')) : importPublicKey(jwk);
  return { kid, alg, key, counts };
}
