/** Keys in the database: how rows become keys, and private parts are sealed. */
import {
  listSigningKeys,
  type NewSigningKeyRow,
  type SigningKeyChange,
  type SigningKeyRow,
} from '../../db/signing-keys.js';
import type { Database } from '../../db/types.js';
import { isJwsAlgorithm, type KeyMembers } from '../../jws/algorithms.js';
import { hasPrivatePart, publicMembers, type TokenKey } from '../../jws/jwk.js';
import type { Config } from '../config/settings.js';
import { storedSecretsOf } from '../sealing/stored-secrets.js';
import { createTextSealer, type TextSealer } from '../sealing/text-sealer.js';
import { secretSigningKey } from './key-set.js';

/** The settings of keys in the database. */
export type StoredKeySettings = Pick<
  Config,
  'jwtSecret' | 'jwtPreviousSecrets' | 'jwtKeyId' | 'jwtKeysEncryptionKeys' | 'jwtExpiresInSeconds' | 'dbNamespace'
>;

/** What changes and reads the keys. */
export interface KeyStore extends SigningKeyChange {
  readonly sealer: TextSealer;
  readonly settings: StoredKeySettings;
}

/** The kid of AUTH_JWT_SECRET once it is one of the keys, unless AUTH_JWT_KEY_ID names it. */
const SECRET_KID = 'jwt-secret';
const PURPOSE = 'latchkey signing keys v1';

/** A private key was sealed with a key that is not known here. */
export class SealedKeyError extends Error {
  readonly code = 'SIGNING_KEY_SEALED';

  constructor(kid: string) {
    super(
      `The signing key ${JSON.stringify(kid)} in the database cannot be opened: AUTH_JWT_KEYS_ENCRYPTION_KEY, or AUTH_JWT_SECRET where that is unset, is not the one that sealed it. Add the earlier value to AUTH_JWT_KEYS_ENCRYPTION_KEY, then run latchkey keys reseal.`,
    );
    this.name = 'SealedKeyError';
  }
}

export function openKeyStore(db: Database, settings: StoredKeySettings): KeyStore {
  const { dbNamespace } = settings;
  const channel = `${dbNamespace === '' ? 'latchkey' : dbNamespace}_signing_keys`;
  return { db, settings, channel, sealer: createTextSealer(storedSecretsOf(settings), PURPOSE) };
}

/** AUTH_JWT_SECRET as a key among others, so that its tokens stay valid when another key signs. */
export function secretTokenKey(settings: Pick<Config, 'jwtSecret' | 'jwtKeyId'>): TokenKey {
  const { alg, kid, jwk } = secretSigningKey(settings);
  return { alg, jwk, kid: kid === '' ? SECRET_KID : kid, signs: true, derived: [] };
}

export function sealTokenKey({ sealer }: KeyStore, key: TokenKey, state: SigningKeyRow['state']): NewSigningKeyRow {
  const { kid, alg, jwk } = key;
  const sealed = hasPrivatePart(jwk) ? sealer.seal(kid, JSON.stringify(jwk)) : null;
  return { kid, alg, public_jwk: publicMembers(jwk), sealed, state };
}

/** @returns null when the row has a private part that cannot be opened */
export function openTokenKey({ sealer }: Pick<KeyStore, 'sealer'>, row: SigningKeyRow): TokenKey | null {
  const { kid, alg, state, sealed, public_jwk } = row;
  if (!isJwsAlgorithm(alg)) return null;
  const text = sealed === null ? null : sealer.open(kid, sealed);
  if (sealed !== null && text === null) return null;
  const jwk = text === null ? (public_jwk as KeyMembers) : (JSON.parse(text) as KeyMembers);
  return { kid, alg, jwk, signs: state === 'active', derived: [] };
}

/** The keys that count: the active one signs. A key that only verifies needs no private part. */
export function readTokenKeys(store: KeyStore, rows: readonly SigningKeyRow[]): readonly TokenKey[] {
  const keys: TokenKey[] = [];
  for (const row of rows) {
    if (row.state === 'retired') continue;
    const key = openTokenKey(store, row) ?? (isVerifiable(row) ? openTokenKey(store, { ...row, sealed: null }) : null);
    if (key === null) throw new SealedKeyError(row.kid);
    keys.push(key);
  }
  if (keys.length > 0 && !keys.some(({ signs }) => signs)) {
    throw new Error('No signing key in the database is active: run latchkey keys promote.');
  }
  return keys;
}

const isVerifiable = ({ state, alg }: SigningKeyRow): boolean => state !== 'active' && alg !== 'HS256';

/** @throws SealedKeyError, or the error of the database */
export async function loadTokenKeys(
  store: KeyStore,
): Promise<{ readonly rows: readonly SigningKeyRow[]; readonly keys: readonly TokenKey[] }> {
  const rows = await listSigningKeys(store.db);
  return { rows, keys: readTokenKeys(store, rows) };
}
