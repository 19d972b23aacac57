/** The keys of access tokens at one moment: which one signs, and which one verifies a given token. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { JwsAlgorithm, SigningKey } from '../../jws/algorithms.js';
import { importPublicKey, type TokenKey, toBase64url } from '../../jws/jwk.js';
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
  /** Where the keys are: AUTH_JWT_KEYS_SOURCE. */
  readonly source: 'environment' | 'database';
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

/** Whether a key of HS256 is the secret: `k` has its bytes, or is its text, which many deployments give there. */
export function isSecretKey({ alg, jwk }: TokenKey, jwtSecret: string): boolean {
  if (alg !== 'HS256') return false;
  const { k } = jwk as { k?: string };
  return k === Buffer.from(jwtSecret).toString('base64url') || k === toBase64url(jwtSecret);
}

/**
 * Whether tokens under AUTH_JWT_SECRET are accepted: it is the only key, AUTH_JWT_KEYS has a key of HS256 or
 * AUTH_JWT_VALID_METHODS names that algorithm. In the database the secret is a key among the others, which can be revoked
 * (docs/decisions.md, Signing keys).
 */
export function acceptsSecret({
  keys,
  validMethods,
  source,
  jwtSecret,
}: Pick<KeySetOptions, 'keys' | 'validMethods' | 'source' | 'jwtSecret'>): boolean {
  if (validMethods !== null) return validMethods.includes('HS256');
  if (keys.length === 0) return true;
  return keys.some((key) => (source === 'environment' ? key.alg === 'HS256' : isSecretKey(key, jwtSecret)));
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
