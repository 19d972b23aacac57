import { importJWK, SignJWT } from 'jose';
import type { SigningKey } from '../../jws/algorithms.js';
import { withDatabaseOf } from '../cli/database.js';
import type { CommandIo } from '../cli/types.js';
import type { Config } from '../config/settings.js';
import { secretSigningKey } from '../keys/key-set.js';
import { loadTokenKeys, openKeyStore } from '../keys/stored-keys.js';

export interface AdminTokenClaims {
  readonly role: string;
  readonly audience: string;
  /** Left out when empty. */
  readonly issuer: string;
  /** UUID of the user in `sub`; null: none. */
  readonly subject: string | null;
  /** Null: the token never expires. */
  readonly expiresInSeconds: number | null;
}

/**
 * Signs a token for the admin endpoints (RFC 7519).
 * @param nowInSeconds becomes iat
 */
export async function signAdminToken(
  claims: AdminTokenClaims,
  { alg, kid, jwk }: SigningKey,
  nowInSeconds: number,
): Promise<string> {
  const jwt = new SignJWT({ role: claims.role })
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid !== '' && { kid }) })
    .setAudience(claims.audience)
    .setIssuedAt(nowInSeconds);
  if (claims.issuer !== '') jwt.setIssuer(claims.issuer);
  if (claims.subject !== null) jwt.setSubject(claims.subject);
  if (claims.expiresInSeconds !== null) jwt.setExpirationTime(nowInSeconds + claims.expiresInSeconds);
  return jwt.sign(await importJWK({ ...jwk }, alg));
}

/** The key of the environment that signs. */
const configuredSigningKey = (config: Config): SigningKey =>
  config.jwtKeys.find(({ signs }) => signs) ?? secretSigningKey(config);

/**
 * The key that the server signs with.
 * @throws SealedKeyError, or the error of the database
 */
export async function readSigningKey(io: CommandIo, config: Config): Promise<SigningKey> {
  if (config.jwtKeysSource === 'environment') return configuredSigningKey(config);
  return withDatabaseOf(config, io, async (db) => {
    const { keys } = await loadTokenKeys(openKeyStore(db, config));
    return keys.find(({ signs }) => signs) ?? secretSigningKey(config);
  });
}
